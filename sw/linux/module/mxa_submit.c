// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The ioctls that submit a job, as a task in its file's queue, and cancel jobs. */
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <drm/drm_syncobj.h>
#include <linux/math64.h>

#include "mxa.h"

#define MXA_JOB_FLAGS                                                                              \
	(DRM_MXE_JOB_BIAS | DRM_MXE_JOB_BIAS_BF16 | DRM_MXE_JOB_OVERFLOW | DRM_MXE_JOB_ALPHA)

static struct mxa_bo *mxa_bo_lookup(struct drm_file *drm_file, u32 handle)
{
	struct drm_gem_object *gem = drm_gem_object_lookup(drm_file, handle);

	return gem ? to_mxa_bo(gem) : NULL;
}

static bool mxa_is_empty(const struct drm_mxe_operand *operand)
{
	return !operand->handle && !operand->stride && !operand->offset;
}

/* Converts an operand's handle and offset to a bus address. */
static int mxa_take_operand(struct mxa_task *task, struct drm_file *drm_file,
			    enum mxa_operand which, const struct drm_mxe_operand *operand,
			    u64 *addr, u32 *stride)
{
	struct mxa_bo *bo = mxa_bo_lookup(drm_file, operand->handle);

	if (!bo)
		return -ENOENT;
	task->bos[which] = bo;
	if (operand->offset >= bo->base.size)
		return -EINVAL;
	*addr = bo->dma + operand->offset;
	*stride = operand->stride;
	return 0;
}

static int mxa_take_operands(struct mxa_task *task, struct drm_file *drm_file,
			     const struct drm_mxe_submit *args)
{
	struct mxe_job *job = &task->core_job;
	const struct {
		const struct drm_mxe_operand *operand;
		u64 *addr;
		u32 *stride;
		bool needed;
	} all[MXA_OPERANDS] = {
		[MXA_A] = { &args->a, &job->a_addr, &job->a_stride, true },
		[MXA_A_SCALES] = { &args->a_scales, &job->a_scale_addr, &job->a_scale_stride,
				   true },
		[MXA_B] = { &args->b, &job->b_addr, &job->b_stride, true },
		[MXA_B_SCALES] = { &args->b_scales, &job->b_scale_addr, &job->b_scale_stride,
				   true },
		[MXA_C] = { &args->c, &job->c_addr, &job->c_stride, job->bias },
		[MXA_D] = { &args->d, &job->d_addr, &job->d_stride, true },
		[MXA_D_SCALES] = { &args->d_scales, &job->d_scale_addr, &job->d_scale_stride,
				   job->out_format >= MXE_OUT_MXFP4_E2M1 },
	};

	for (int i = 0; i < MXA_OPERANDS; i++) {
		int ret;

		if (!all[i].needed) {
			if (!mxa_is_empty(all[i].operand))
				return -EINVAL;
			continue;
		}
		ret = mxa_take_operand(task, drm_file, i, all[i].operand, all[i].addr,
				       all[i].stride);
		if (ret)
			return ret;
	}
	return 0;
}

/* Checks each operand against its own object, because objects may be adjacent. */
static int mxa_check_extents(struct mxa_task *task)
{
	const struct mxe_range *ranges = mxa_ranges(&task->extents);
	int code = mxe_job_extents(NULL, &task->core_job, NULL, 0, &task->extents);

	if (code != MXE_OK) {
		drm_dbg(&task->file->mxa->drm, "job refused: %s\n", mxe_strerror(code));
		return -EINVAL;
	}
	for (int i = 0; i < MXA_OPERANDS; i++) {
		const struct mxa_bo *bo = task->bos[i];

		if (!ranges[i].size)
			continue;
		if (ranges[i].addr - bo->dma > bo->base.size ||
		    ranges[i].size > bo->base.size - (ranges[i].addr - bo->dma)) {
			drm_dbg(&task->file->mxa->drm,
				"job refused: operand %d exceeds its object\n", i);
			return -EINVAL;
		}
	}
	return 0;
}

static void mxa_take_job(struct mxa_task *task, const struct drm_mxe_submit *args)
{
	task->core_job = (struct mxe_job){
		.format_a = args->format_a,
		.format_b = args->format_b,
		.out_format = args->out_format,
		.out_rule = args->out_rule,
		.out_overflow = args->flags & DRM_MXE_JOB_OVERFLOW,
		.bias = args->flags & DRM_MXE_JOB_BIAS,
		.bias_bf16 = args->flags & DRM_MXE_JOB_BIAS_BF16,
		.alpha = args->flags & DRM_MXE_JOB_ALPHA,
		.alpha_bits = args->alpha,
		.scale_a = args->scale_a,
		.scale_b = args->scale_b,
		.block_a = args->block_a,
		.block_b = args->block_b,
		.m = args->m,
		.n = args->n,
		.k = args->k,
		.batch = args->batch,
	};
	/* Rounded up, so that no deadline is early. 0, no deadline, stays 0. */
	task->deadline_us = DIV64_U64_ROUND_UP(args->deadline_ns, NSEC_PER_USEC);
}

static int mxa_add_in_syncs(struct mxa_task *task, struct drm_file *drm_file,
			    const struct drm_mxe_submit *args)
{
	const u32 __user *handles = u64_to_user_ptr(args->in_syncs);

	for (u32 i = 0; i < args->in_sync_count; i++) {
		u32 handle;
		int ret;

		if (get_user(handle, handles + i))
			return -EFAULT;
		ret = drm_sched_job_add_syncobj_dependency(&task->base, drm_file, handle, 0);
		if (ret)
			return ret;
	}
	return 0;
}

/* Assigns the job's number and slot; slot i holds jobs i, i + MXA_FILE_JOBS, ... */
static int mxa_take_slot(struct mxa_file *file, struct mxa_task *task)
{
	u32 job = file->last_job + 1 ? file->last_job + 1 : 1;
	struct mxa_slot *slot = &file->slots[job % MXA_FILE_JOBS];
	struct dma_fence *old = slot->finished;

	if (old && !dma_fence_is_signaled(old))
		return -EAGAIN;
	drm_sched_job_arm(&task->base);
	spin_lock(&file->slot_lock);
	*slot = (struct mxa_slot){ .job = job,
				   .finished = dma_fence_get(&task->base.s_fence->finished) };
	spin_unlock(&file->slot_lock);
	dma_fence_put(old);
	task->job = job;
	file->last_job = job;
	return 0;
}

static int mxa_push(struct mxa_task *task, struct drm_syncobj *out_sync, u32 *job)
{
	struct mxa_file *file = task->file;
	int ret;

	mutex_lock(&file->submit_lock);
	ret = mxa_take_slot(file, task);
	if (!ret) {
		*job = task->job;
		if (out_sync)
			drm_syncobj_replace_fence(out_sync, &task->base.s_fence->finished);
		drm_sched_entity_push_job(&task->base);
	}
	mutex_unlock(&file->submit_lock);
	return ret;
}

/* Initialises the scheduler's part of the task and queues it. */
static int mxa_schedule(struct mxa_task *task, struct drm_file *drm_file,
			struct drm_mxe_submit *args)
{
	struct drm_syncobj *out_sync = NULL;
	int ret = drm_sched_job_init(&task->base, &task->file->entity, 1, task->file,
				     drm_file->client_id);

	if (ret)
		return ret;
	ret = mxa_add_in_syncs(task, drm_file, args);
	if (!ret && args->out_sync) {
		out_sync = drm_syncobj_find(drm_file, args->out_sync);
		ret = out_sync ? 0 : -ENOENT;
	}
	if (!ret)
		ret = mxa_push(task, out_sync, &args->job);
	if (ret)
		drm_sched_job_cleanup(&task->base);
	if (out_sync)
		drm_syncobj_put(out_sync);
	return ret;
}

static bool mxa_has_known_scales(const struct drm_mxe_submit *args)
{
	return args->scale_a <= MXE_SCALE_UE4M3 && args->scale_b <= MXE_SCALE_UE4M3 &&
	       args->block_a <= MXE_BLOCK_OF_128 && args->block_b <= MXE_BLOCK_OF_128 &&
	       !args->pad && (args->flags & DRM_MXE_JOB_ALPHA || !args->alpha);
}

int mxa_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_mxe_submit *args = data;
	struct mxa_task *task;
	int ret, idx;

	if (args->flags & ~MXA_JOB_FLAGS || args->in_sync_count > MXA_MAX_IN_SYNCS ||
	    args->out_rule > MXE_RULE_RCEIL || !mxa_has_known_scales(args))
		return -EINVAL;
	ret = mxa_engine_fate(to_mxa(drm));
	if (ret)
		return ret;
	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	task = mxa_task_alloc(drm_file->driver_priv);
	ret = task ? 0 : -ENOMEM;
	if (!ret) {
		mxa_take_job(task, args);
		ret = mxa_take_operands(task, drm_file, args);
	}
	if (!ret)
		ret = mxa_check_extents(task);
	if (!ret)
		ret = mxa_schedule(task, drm_file, args);
	if (ret && task)
		mxa_task_free(task);
	drm_dev_exit(idx);
	return ret;
}

int mxa_cancel_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct mxa_file *file = drm_file->driver_priv;
	const struct drm_mxe_cancel *args = data;

	if (args->pad)
		return -EINVAL;
	if (!mxa_mark_cancelled(file, args->job))
		return args->job ? -ENOENT : 0;
	mutex_lock(&file->mxa->lock);
	mxa_engine_cancel(file->mxa, file, args->job);
	mutex_unlock(&file->mxa->lock);
	return 0;
}
