// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Objects: contiguous memory (mxa_memory.c), because the engine has no MMU and no scatter lists.
 * Pages are mapped with dma_map_single() instead of dma_alloc_coherent(), so that programs can read
 * results after the device has been unbound, and their memory is cached on systems without coherent
 * DMA. On coherent systems the synchronisation per job costs nothing.
 */
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>

#include "mxa.h"

static void mxa_bo_unmap(struct mxa_device *mxa, struct mxa_bo *bo)
{
	lockdep_assert_held(&mxa->bo_lock);
	if (list_empty(&bo->node))
		return;
	list_del_init(&bo->node);
	dma_unmap_single(mxa->drm.dev, bo->dma, bo->base.size, DMA_BIDIRECTIONAL);
}

static void mxa_bo_free(struct drm_gem_object *gem)
{
	struct mxa_bo *bo = to_mxa_bo(gem);
	struct mxa_device *mxa = to_mxa(gem->dev);

	mutex_lock(&mxa->bo_lock);
	mxa_bo_unmap(mxa, bo);
	mutex_unlock(&mxa->bo_lock);
	mxa_memory_free(bo);
	drm_gem_object_release(gem);
	kfree(bo);
}

static int mxa_bo_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma)
{
	struct mxa_bo *bo = to_mxa_bo(gem);

	/* The device does not access the copied pages of a private mapping. */
	if (is_cow_mapping(vma->vm_flags))
		return -EINVAL;
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	return remap_pfn_range(vma, vma->vm_start, PHYS_PFN(virt_to_phys(bo->memory)),
			       vma->vm_end - vma->vm_start, vma->vm_page_prot);
}

/* DRM removes all mappings of a removed device; the next access restores those of objects. */
static vm_fault_t mxa_bo_fault(struct vm_fault *vmf)
{
	struct mxa_bo *bo = to_mxa_bo(vmf->vma->vm_private_data);
	pgoff_t page = vmf->pgoff - drm_vma_node_start(&bo->base.vma_node);

	if (page >= PHYS_PFN(bo->base.size))
		return VM_FAULT_SIGBUS;
	return vmf_insert_pfn(vmf->vma, vmf->address, PHYS_PFN(virt_to_phys(bo->memory)) + page);
}

static const struct vm_operations_struct mxa_bo_vm_ops = {
	.fault = mxa_bo_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

static const struct drm_gem_object_funcs mxa_bo_funcs = {
	.free = mxa_bo_free,
	.mmap = mxa_bo_mmap,
	.vm_ops = &mxa_bo_vm_ops,
};

static int mxa_bo_map(struct mxa_device *mxa, struct mxa_bo *bo)
{
	int ret = 0;

	mutex_lock(&mxa->bo_lock);
	if (mxa->bos_unmapped) {
		ret = -ENODEV;
		goto unlock;
	}
	bo->dma = dma_map_single(mxa->drm.dev, bo->memory, bo->base.size, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(mxa->drm.dev, bo->dma)) {
		ret = -ENOMEM;
		goto unlock;
	}
	list_add(&bo->node, &mxa->bos);
unlock:
	mutex_unlock(&mxa->bo_lock);
	return ret;
}

static struct mxa_bo *mxa_bo_create(struct mxa_device *mxa, u64 size)
{
	struct mxa_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL);
	int ret;

	if (!bo)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&bo->node);
	bo->base.funcs = &mxa_bo_funcs;
	drm_gem_private_object_init(&mxa->drm, &bo->base, PAGE_ALIGN(size));
	ret = mxa_memory_alloc(bo);
	if (!ret)
		ret = mxa_bo_map(mxa, bo);
	if (ret) {
		drm_gem_object_put(&bo->base);
		return ERR_PTR(ret);
	}
	return bo;
}

int mxa_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_mxe_create *args = data;
	struct mxa_bo *bo;
	int ret;

	if (args->pad || !args->size)
		return -EINVAL;
	if (args->size > mxa_memory_max()) {
		dev_warn_ratelimited(drm->dev,
				     "an object of %llu bytes exceeds the limit of %llu bytes; "
				     "reserve_mem=SIZE:4096:" MXA_AREA_NAME
				     " on the kernel's command line sets it\n",
				     args->size, mxa_memory_max());
		return -E2BIG;
	}
	bo = mxa_bo_create(to_mxa(drm), args->size);
	if (IS_ERR(bo)) {
		if (PTR_ERR(bo) == -ENOMEM)
			dev_warn_ratelimited(drm->dev,
					     "no %llu contiguous bytes are free for an object\n",
					     args->size);
		return PTR_ERR(bo);
	}
	ret = drm_gem_create_mmap_offset(&bo->base);
	if (!ret) {
		args->map_offset = drm_vma_node_offset_addr(&bo->base.vma_node);
		ret = drm_gem_handle_create(drm_file, &bo->base, &args->handle);
	}
	drm_gem_object_put(&bo->base); /* the handle holds a reference */
	return ret;
}

/* Ends all DMA mappings; the memory stays allocated. */
void mxa_bo_unmap_all(struct mxa_device *mxa)
{
	struct mxa_bo *bo, *next;

	mutex_lock(&mxa->bo_lock);
	mxa->bos_unmapped = true;
	list_for_each_entry_safe(bo, next, &mxa->bos, node)
		mxa_bo_unmap(mxa, bo);
	mutex_unlock(&mxa->bo_lock);
}

void mxa_bo_sync_for_device(struct mxa_task *task)
{
	const struct mxe_range *ranges = mxa_ranges(&task->extents);
	struct device *dev = task->file->mxa->drm.dev;

	for (int i = 0; i < MXA_OPERANDS; i++)
		if (ranges[i].size)
			dma_sync_single_for_device(dev, ranges[i].addr, ranges[i].size,
						   DMA_BIDIRECTIONAL);
}

void mxa_bo_sync_for_cpu(struct mxa_task *task)
{
	const struct mxe_range *ranges = mxa_ranges(&task->extents);
	struct device *dev = task->file->mxa->drm.dev;

	for (int i = MXA_D; i < MXA_OPERANDS; i++)
		if (ranges[i].size)
			dma_sync_single_for_cpu(dev, ranges[i].addr, ranges[i].size,
						DMA_BIDIRECTIONAL);
}
