// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Memory of objects: free pages (at most 4 MiB, less when memory is fragmented), or an area
 * reserved at boot with reserve_mem=512M:4096:mxe on the kernel's command line.
 *
 * Objects of up to 64 KiB come from free pages, so that they do not fragment the area; larger ones
 * from the area. If one is exhausted, the other one is used.
 */
#include <linux/mm.h>
#include <linux/sizes.h>

#include "mxa.h"

#define MXA_SMALL SZ_64K
#define MXA_MOST_PAGES ((u64)PAGE_SIZE << MAX_PAGE_ORDER)

/* One area for all devices, because objects may outlive their device. */
static struct {
	struct mutex lock; /* mm */
	struct drm_mm mm; /* physical addresses */
	u64 size; /* in bytes; 0: no area */
} mxa_area = { .lock = __MUTEX_INITIALIZER(mxa_area.lock) };

void mxa_memory_init(void)
{
	phys_addr_t start, size, first, end;

	if (!reserve_mem_find_by_name(MXA_AREA_NAME, &start, &size))
		return;
	first = PAGE_ALIGN(start);
	end = PAGE_ALIGN_DOWN(start + size);
	if (first >= end)
		return;
	mxa_area.size = end - first;
	drm_mm_init(&mxa_area.mm, first, mxa_area.size);
}

void mxa_memory_exit(void)
{
	if (mxa_area.size)
		drm_mm_takedown(&mxa_area.mm);
}

u64 mxa_memory_max(void)
{
	return max(mxa_area.size, MXA_MOST_PAGES);
}

static void *mxa_take_pages(struct mxa_bo *bo)
{
	if (bo->base.size > MXA_MOST_PAGES)
		return NULL;
	return alloc_pages_exact(bo->base.size, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
}

static void *mxa_take_area(struct mxa_bo *bo)
{
	void *memory;
	int ret;

	if (!mxa_area.size)
		return NULL;
	mutex_lock(&mxa_area.lock);
	ret = drm_mm_insert_node_generic(&mxa_area.mm, &bo->area, bo->base.size, PAGE_SIZE, 0,
					 DRM_MM_INSERT_BEST);
	mutex_unlock(&mxa_area.lock);
	if (ret)
		return NULL;
	memory = phys_to_virt(bo->area.start);
	memset(memory, 0, bo->base.size);
	return memory;
}

int mxa_memory_alloc(struct mxa_bo *bo)
{
	const bool small = bo->base.size <= MXA_SMALL;

	bo->memory = small ? mxa_take_pages(bo) : mxa_take_area(bo);
	if (!bo->memory)
		bo->memory = small ? mxa_take_area(bo) : mxa_take_pages(bo);
	return bo->memory ? 0 : -ENOMEM;
}

void mxa_memory_free(struct mxa_bo *bo)
{
	if (drm_mm_node_allocated(&bo->area)) {
		mutex_lock(&mxa_area.lock);
		drm_mm_remove_node(&bo->area);
		mutex_unlock(&mxa_area.lock);
	} else if (bo->memory) {
		free_pages_exact(bo->memory, bo->base.size);
	}
}
