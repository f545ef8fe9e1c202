// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The backend of the DRM scheduler. Its timeout is disabled: it measures the time in the ring,
 * while the core checks each job's deadline and the watchdog checks the work counters.
 */
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "mxa.h"

/*
 * The scheduler selects the oldest job of all files, so a file with many jobs would block the
 * others. Therefore job i of a file waits until its job i - MXA_FILE_TURN has ended.
 */
static struct dma_fence *mxa_sched_prepare(struct drm_sched_job *base,
					   struct drm_sched_entity *entity)
{
	struct mxa_task *task = container_of(base, struct mxa_task, base);
	struct dma_fence *before = task->file->turn[task->file->sent % MXA_FILE_TURN];

	return before && !dma_fence_is_signaled(before) ? dma_fence_get(before) : NULL;
}

static void mxa_note_turn(struct mxa_task *task)
{
	struct dma_fence **turn = &task->file->turn[task->file->sent++ % MXA_FILE_TURN];

	dma_fence_put(*turn);
	*turn = dma_fence_get(&task->fence->base);
}

static struct dma_fence *mxa_sched_run(struct drm_sched_job *base)
{
	struct mxa_task *task = container_of(base, struct mxa_task, base);
	struct mxa_device *mxa = task->file->mxa;
	int code;

	mxa_fence_start(mxa, task);
	mutex_lock(&mxa->lock);
	code = mxa_engine_submit(mxa, task);
	mutex_unlock(&mxa->lock);
	if (code != MXE_OK) {
		mxa_result_set(task, code, NULL);
		return ERR_PTR(mxa_errno(code));
	}
	mxa_note_turn(task);
	return dma_fence_get(&task->fence->base);
}

/* Never called: the timeout is disabled. */
static enum drm_gpu_sched_stat mxa_sched_timedout(struct drm_sched_job *base)
{
	return DRM_GPU_SCHED_STAT_NOMINAL;
}

static void mxa_sched_free(struct drm_sched_job *base)
{
	drm_sched_job_cleanup(base);
	mxa_task_free(container_of(base, struct mxa_task, base));
}

static const struct drm_sched_backend_ops mxa_sched_ops = {
	.prepare_job = mxa_sched_prepare,
	.run_job = mxa_sched_run,
	.timedout_job = mxa_sched_timedout,
	.free_job = mxa_sched_free,
};

static void mxa_sched_fini(struct drm_device *drm, void *unused)
{
	drm_sched_fini(&to_mxa(drm)->sched);
}

/* The scheduler lives as long as the DRM device, because open files have entities in it. */
int mxa_sched_init(struct mxa_device *mxa)
{
	const struct drm_sched_init_args args = {
		.ops = &mxa_sched_ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = MXA_RING_ENTRIES,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = "mxe",
		.dev = mxa->drm.dev,
	};
	int ret;

	mxa->fence_context = dma_fence_context_alloc(1);
	ret = drm_sched_init(&mxa->sched, &args);
	return ret ? ret : drmm_add_action_or_reset(&mxa->drm, mxa_sched_fini, NULL);
}
