// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
#include <drm/drm_drv.h>
#include <drm/drm_utils.h>
#include <linux/errno.h>

#include "mxa.h"

/* Converts a code of the core to an errno. GONE is ENODEV instead of the table's ENXIO. */
int mxa_errno(int code)
{
	if (code == MXE_OK)
		return 0;
	if (code == MXE_ERR_GONE)
		return -ENODEV;
	switch (code) {
#define X(code_, errno_)                                                                           \
	case code_:                                                                                \
		return -errno_;
		MXE_ERRNO_TABLE(X)
#undef X
	default:
		return -EIO;
	}
}

static struct mxa_slot *mxa_find_slot(struct mxa_file *file, u32 job)
{
	struct mxa_slot *slot = &file->slots[job % MXA_FILE_JOBS];

	lockdep_assert_held(&file->slot_lock);
	return job && slot->job == job ? slot : NULL;
}

/* Offset of a bus error in its object; U64_MAX if it is elsewhere. */
static u64 mxa_fault_offset(const struct mxa_task *task, const struct mxe_completion *completion)
{
	u32 which = completion->fault_operand - MXE_FAULT_A;
	const struct mxa_bo *bo = which < MXA_OPERANDS ? task->bos[which] : NULL;

	if (!bo || completion->fault_addr - bo->dma >= bo->base.size)
		return U64_MAX;
	return completion->fault_addr - bo->dma;
}

/* completion: from the core; NULL if the job ended outside the ring. */
void mxa_result_set(struct mxa_task *task, int code, const struct mxe_completion *completion)
{
	struct mxa_file *file = task->file;
	struct drm_mxe_wait result = {
		.job = task->job,
		.code = code,
		.error = mxa_errno(code),
		.status = MXE_STATUS_ERR_ABORTED,
	};
	struct mxa_slot *slot;

	if (completion) {
		result.status = completion->status;
		result.cycles = completion->cycles;
		result.fault_operand = completion->fault_operand;
		result.fault_write = completion->fault_write;
		if (completion->fault_operand != MXE_FAULT_NONE)
			result.fault_offset = mxa_fault_offset(task, completion);
	}
	spin_lock(&file->slot_lock);
	slot = mxa_find_slot(file, task->job);
	if (slot)
		slot->result = result;
	spin_unlock(&file->slot_lock);
}

void mxa_results_forget(struct mxa_file *file)
{
	for (int i = 0; i < MXA_FILE_JOBS; i++)
		dma_fence_put(file->slots[i].finished);
	for (int i = 0; i < MXA_FILE_TURN; i++)
		dma_fence_put(file->turn[i]);
}

static struct dma_fence *mxa_get_finished(struct mxa_file *file, u32 job)
{
	struct dma_fence *fence = NULL;
	struct mxa_slot *slot;

	spin_lock(&file->slot_lock);
	slot = mxa_find_slot(file, job);
	if (slot)
		fence = dma_fence_get(slot->finished);
	spin_unlock(&file->slot_lock);
	return fence;
}

static int mxa_get_result(struct mxa_file *file, struct drm_mxe_wait *args)
{
	const s64 timeout_ns = args->timeout_ns;
	struct mxa_slot *slot;
	int ret = -ENOENT;

	spin_lock(&file->slot_lock);
	slot = mxa_find_slot(file, args->job);
	if (slot) {
		*args = slot->result;
		args->timeout_ns = timeout_ns;
		ret = args->code == MXE_ERR_GONE ? -ENODEV : 0;
	}
	spin_unlock(&file->slot_lock);
	return ret;
}

int mxa_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct mxa_file *file = drm_file->driver_priv;
	struct drm_mxe_wait *args = data;
	struct dma_fence *fence;
	long left;

	if (args->pad)
		return -EINVAL;
	fence = mxa_get_finished(file, args->job);
	if (!fence)
		return -ENOENT;
	left = drm_timeout_abs_to_jiffies(args->timeout_ns);
	left = left ? dma_fence_wait_timeout(fence, true, left) : dma_fence_is_signaled(fence);
	dma_fence_put(fence);
	if (left < 0)
		return left;
	return left ? mxa_get_result(file, args) : -ETIME;
}

/* Marks an unfinished job, or all of them (0), as cancelled. Returns true if one was found. */
bool mxa_mark_cancelled(struct mxa_file *file, u32 job)
{
	bool found = false;

	spin_lock(&file->slot_lock);
	for (int i = 0; i < MXA_FILE_JOBS; i++) {
		struct mxa_slot *slot = &file->slots[i];

		if (!slot->job || (job && slot->job != job) ||
		    dma_fence_is_signaled(slot->finished))
			continue;
		slot->cancelled = true;
		found = true;
	}
	spin_unlock(&file->slot_lock);
	return found;
}

bool mxa_is_cancelled(struct mxa_task *task)
{
	struct mxa_file *file = task->file;
	struct mxa_slot *slot;
	bool cancelled;

	spin_lock(&file->slot_lock);
	slot = mxa_find_slot(file, task->job);
	cancelled = !slot || slot->cancelled;
	spin_unlock(&file->slot_lock);
	return cancelled;
}
