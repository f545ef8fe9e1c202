// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
#include "mxa.h"

static void mxa_file_release(struct kref *refs)
{
	struct mxa_file *file = container_of(refs, struct mxa_file, refs);

	complete(&file->unused);
}

void mxa_file_put(struct mxa_file *file)
{
	kref_put(&file->refs, mxa_file_release);
}

struct mxa_task *mxa_task_alloc(struct mxa_file *file)
{
	struct mxa_task *task = kzalloc(sizeof(*task), GFP_KERNEL);

	if (!task)
		return NULL;
	task->fence = kzalloc(sizeof(*task->fence), GFP_KERNEL);
	if (!task->fence) {
		kfree(task);
		return NULL;
	}
	INIT_LIST_HEAD(&task->node);
	kref_get(&file->refs);
	task->file = file;
	return task;
}

/* Frees a task that the scheduler has not received or has released. */
void mxa_task_free(struct mxa_task *task)
{
	for (int i = 0; i < MXA_OPERANDS; i++)
		if (task->bos[i])
			drm_gem_object_put(&task->bos[i]->base);
	if (task->fence_is_live)
		dma_fence_put(&task->fence->base);
	else
		kfree(task->fence);
	mxa_file_put(task->file);
	kfree(task);
}

static const char *mxa_fence_driver(struct dma_fence *fence)
{
	return "mxe";
}

static const char *mxa_fence_timeline(struct dma_fence *fence)
{
	return "engine";
}

/* A fence in a sync_file may outlive the driver's files, so it holds a reference to the module. */
static void mxa_fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops mxa_fence_ops = {
	.get_driver_name = mxa_fence_driver,
	.get_timeline_name = mxa_fence_timeline,
	.release = mxa_fence_release,
};

void mxa_fence_start(struct mxa_device *mxa, struct mxa_task *task)
{
	struct mxa_fence *fence = task->fence;

	__module_get(THIS_MODULE);
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &mxa_fence_ops, &fence->lock, mxa->fence_context,
		       ++mxa->fence_seqno);
	task->fence_is_live = true;
}

/* Do not use the task afterwards: the scheduler may have freed it. */
void mxa_fence_signal(struct mxa_task *task, int error)
{
	struct dma_fence *fence = dma_fence_get(&task->fence->base);

	if (error)
		dma_fence_set_error(fence, error);
	dma_fence_signal(fence);
	dma_fence_put(fence);
}
