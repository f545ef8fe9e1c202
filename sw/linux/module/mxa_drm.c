// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_ioctl.h>

#include "mxa.h"

static int mxa_file_open(struct drm_device *drm, struct drm_file *drm_file)
{
	struct mxa_device *mxa = to_mxa(drm);
	struct drm_gpu_scheduler *sched = &mxa->sched;
	struct mxa_file *file = kvzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!file)
		return -ENOMEM;
	kref_init(&file->refs);
	init_completion(&file->unused);
	file->mxa = mxa;
	mutex_init(&file->submit_lock);
	spin_lock_init(&file->slot_lock);
	ret = drm_sched_entity_init(&file->entity, DRM_SCHED_PRIORITY_NORMAL, &sched, 1, NULL);
	if (ret) {
		kvfree(file);
		return ret;
	}
	drm_file->driver_priv = file;
	return 0;
}

/*
 * Cancels the jobs in the ring first, because the scheduler ends queued jobs after earlier ones.
 * Waits until every task is freed, because tasks use the file and the device.
 */
static void mxa_file_close(struct drm_device *drm, struct drm_file *drm_file)
{
	struct mxa_file *file = drm_file->driver_priv;
	struct mxa_device *mxa = file->mxa;

	mutex_lock(&mxa->lock);
	file->closed = true;
	mxa_engine_cancel(mxa, file, 0);
	mutex_unlock(&mxa->lock);
	drm_sched_entity_fini(&file->entity);
	mxa_file_put(file);
	wait_for_completion(&file->unused);
	mxa_results_forget(file);
	mutex_destroy(&file->submit_lock);
	kvfree(file);
}

static int mxa_get_register(struct mxa_device *mxa, u32 offset, u64 *value)
{
	const struct mxe_capabilities *caps = &mxa->core.caps;

	switch (offset) {
	case MXE_REG_ID:
		*value = MXE_ID_RESET;
		return 0;
	case MXE_REG_VERSION:
		*value = (u32)caps->version_major << MXE_VERSION_MAJOR_SHIFT |
			 (u32)caps->version_minor << MXE_VERSION_MINOR_SHIFT | caps->version_patch;
		return 0;
	case MXE_REG_FEATURES:
		*value = 0;
#define FEATURE(member, FIELD) *value |= caps->member ? MXE_FEATURES_##FIELD##_MASK : 0;
		MXE_CAPABILITY_FLAGS(FEATURE)
#undef FEATURE
		return 0;
#define WORD(member, REGISTER)                                                                     \
	case MXE_REG_##REGISTER:                                                                   \
		*value = caps->member;                                                             \
		return 0;
		MXE_CAPABILITY_WORDS(WORD)
#undef WORD
	default:
		return -EINVAL;
	}
}

static int mxa_get_param_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_mxe_get_param *args = data;

	if (args->pad)
		return -EINVAL;
	switch (args->param) {
	case DRM_MXE_PARAM_MAX_OBJECT:
		args->value = mxa_memory_max();
		return 0;
	case DRM_MXE_PARAM_MAX_JOBS:
		args->value = MXA_FILE_JOBS;
		return 0;
	default:
		return mxa_get_register(to_mxa(drm), args->param, &args->value);
	}
}

#define MXA_COUNTER_INDEX(COUNTER) ((MXE_REG_##COUNTER##_LO - MXE_REG_TOTAL_LO) / 8)

static int mxa_counters_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct mxa_device *mxa = to_mxa(drm);
	struct drm_mxe_counters *args = data;
	struct mxe_counters counters;
	int code;

	if (args->pad)
		return -EINVAL;
	mutex_lock(&mxa->lock);
	code = mxe_read_counters(&mxa->core, &counters);
	mutex_unlock(&mxa->lock);
	if (code != MXE_OK)
		return -ENODEV;
	memset(args, 0, sizeof(*args));
#define COUNTER(member, NAME)                                                                      \
	args->value[MXA_COUNTER_INDEX(NAME)] = counters.member;                                    \
	static_assert(MXA_COUNTER_INDEX(NAME) < DRM_MXE_COUNTERS_MAX);                             \
	args->count++;
	MXE_COUNTERS(COUNTER)
#undef COUNTER
	return 0;
}

static const struct drm_ioctl_desc mxa_ioctls[] = {
	DRM_IOCTL_DEF_DRV(MXE_GET_PARAM, mxa_get_param_ioctl, 0),
	DRM_IOCTL_DEF_DRV(MXE_CREATE, mxa_bo_create_ioctl, 0),
	DRM_IOCTL_DEF_DRV(MXE_SUBMIT, mxa_submit_ioctl, 0),
	DRM_IOCTL_DEF_DRV(MXE_WAIT, mxa_wait_ioctl, 0),
	DRM_IOCTL_DEF_DRV(MXE_CANCEL, mxa_cancel_ioctl, 0),
	DRM_IOCTL_DEF_DRV(MXE_COUNTERS, mxa_counters_ioctl, 0),
};

DEFINE_DRM_ACCEL_FOPS(mxa_fops);

const struct drm_driver mxa_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_COMPUTE_ACCEL | DRIVER_SYNCOBJ,
	.open = mxa_file_open,
	.postclose = mxa_file_close,
	.ioctls = mxa_ioctls,
	.num_ioctls = ARRAY_SIZE(mxa_ioctls),
	.fops = &mxa_fops,
	.name = "mxe",
	.desc = "MXE matrix engine",
	.date = "20260101",
	.major = 1,
	.minor = 0,
};
