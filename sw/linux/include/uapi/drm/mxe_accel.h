/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR Apache-2.0 */
/**
 * DOC: The engine for programs: ioctls of /dev/accel/accelN
 *
 * A program creates objects, maps them, fills them with operands, and submits jobs that name
 * objects, offsets and strides. It never sees an address of the device. The kernel computes which
 * bytes a job touches and refuses one that leaves an object.
 *
 * Every open of the device is a file of its own: objects, jobs and their results belong to it. When
 * it is closed, or its process dies, its jobs end, whether they wait or run; those of others run
 * on, from their beginning if the engine had to be reset.
 *
 * Fields named pad and bits without a name have to be 0. Structures only grow at their ends.
 *
 * All ioctls return 0, or -1 with an errno. Those that every one of them may give:
 *
 * ENODEV  the device has gone (unplugged, unbound from its driver)
 * EIO     a reset of the engine failed; bind the driver anew
 * EINVAL  a field has a value that is not allowed
 * EFAULT  a pointer is bad
 * EINTR   a signal came; call again
 */
#ifndef _UAPI_DRM_MXE_ACCEL_H_
#define _UAPI_DRM_MXE_ACCEL_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define DRM_MXE_GET_PARAM 0x00
#define DRM_MXE_CREATE 0x01
#define DRM_MXE_SUBMIT 0x02
#define DRM_MXE_WAIT 0x03
#define DRM_MXE_CANCEL 0x04
#define DRM_MXE_COUNTERS 0x05

/*
 * The largest object in bytes: the size of the area that was reserved at boot for objects
 * (reserve_mem=SIZE:4096:mxe on the kernel's command line), or 4 MiB if there is none.
 */
#define DRM_MXE_PARAM_MAX_OBJECT 0x80000000u
/* How many jobs of a file may be under way, and how many results are kept. */
#define DRM_MXE_PARAM_MAX_JOBS 0x80000001u

/**
 * struct drm_mxe_get_param - what the device is
 *
 * Errors: EINVAL, there is no such parameter.
 */
struct drm_mxe_get_param {
	/**
	 * @param: DRM_MXE_PARAM_..., or the offset of one of the registers that tell what was
	 * built: ID, VERSION, FEATURES and the parameters of the configuration (docs/registers.md).
	 */
	__u32 param;
	/** @pad: 0 */
	__u32 pad;
	/** @value: out */
	__u64 value;
};

/**
 * struct drm_mxe_create - an object: zeroed memory that the device sees in one piece
 *
 * DRM_IOCTL_GEM_CLOSE gives it back; it lives on while it is mapped or a job needs it.
 *
 * Errors: EINVAL, the size is 0; E2BIG, the size is more than DRM_MXE_PARAM_MAX_OBJECT; ENOMEM, no
 * piece of this size is free now. The kernel's log has a line for E2BIG and ENOMEM.
 */
struct drm_mxe_create {
	/** @size: in bytes; is rounded up to whole pages */
	__u64 size;
	/** @pad: 0 */
	__u32 pad;
	/** @handle: out, names the object in this file; never 0 */
	__u32 handle;
	/** @map_offset: out, what mmap() of the device takes, with MAP_SHARED */
	__u64 map_offset;
};

/**
 * struct drm_mxe_operand - a matrix, or the scales of one
 *
 * All fields are 0 if the job has no such operand.
 */
struct drm_mxe_operand {
	/** @handle: of an object */
	__u32 handle;
	/** @stride: bytes from row to row */
	__u32 stride;
	/** @offset: in bytes, of the first row in the object */
	__u64 offset;
};

/* D = A * B^T + C instead of D = A * B^T. */
#define DRM_MXE_JOB_BIAS (1u << 0)
/* C is BF16 instead of FP32. */
#define DRM_MXE_JOB_BIAS_BF16 (1u << 1)
/* Elements of MX results beyond the largest one become NaN or infinity. */
#define DRM_MXE_JOB_OVERFLOW (1u << 2)

/**
 * struct drm_mxe_submit - runs a job: D = A * B^T + C
 *
 * Returns at once. Formats, shape and layouts are those of docs/driver.md. Jobs of a file run in
 * the order of their submission, after their @in_syncs; files take turns.
 *
 * The rule for operands: from the first byte of the first row to the last byte of the last row,
 * gaps between rows included, an operand lies within its object. Results overlap neither operands
 * nor each other.
 *
 * Errors: EINVAL, the job breaks that rule, or has a shape or format that nothing can be computed
 * from, or an operand that it does not need; ENOENT, there is no such object or syncobj; EAGAIN,
 * DRM_MXE_PARAM_MAX_JOBS jobs are under way: wait for the oldest; ENOMEM.
 */
struct drm_mxe_submit {
	/** @flags: DRM_MXE_JOB_... */
	__u32 flags;
	/** @format_a: MXE_FORMAT_... */
	__u32 format_a;
	/** @format_b: MXE_FORMAT_... */
	__u32 format_b;
	/** @out_format: MXE_OUT_... */
	__u32 out_format;
	/** @out_rule: MXE_RULE_... */
	__u32 out_rule;
	/** @m: rows of A and D, at least 1 */
	__u32 m;
	/** @n: rows of B, columns of D, at least 1 */
	__u32 n;
	/** @k: columns of A and B, at least 1 */
	__u32 k;
	/** @a: elements, [m][k] */
	struct drm_mxe_operand a;
	/** @a_scales: [m][ceil(k/32)] */
	struct drm_mxe_operand a_scales;
	/** @b: elements, [n][k] */
	struct drm_mxe_operand b;
	/** @b_scales: [n][ceil(k/32)] */
	struct drm_mxe_operand b_scales;
	/** @c: [m][n], with DRM_MXE_JOB_BIAS; stride 0 uses one row for all */
	struct drm_mxe_operand c;
	/** @d: the results, [m][n] */
	struct drm_mxe_operand d;
	/** @d_scales: scales of results in an MX format, [m][ceil(n/32)] */
	struct drm_mxe_operand d_scales;
	/**
	 * @deadline_ns: on CLOCK_MONOTONIC. A job that has not ended by then is taken from the
	 * engine; one that waits ends in its turn. 0: none.
	 */
	__u64 deadline_ns;
	/** @in_syncs: pointer to handles of syncobjs that the job waits for */
	__u64 in_syncs;
	/** @in_sync_count: how many, at most 64 */
	__u32 in_sync_count;
	/** @out_sync: handle of a syncobj that is given the job's fence, or 0 */
	__u32 out_sync;
	/** @job: out, names the job in this file; never 0 */
	__u32 job;
	/**
	 * @batch: products of this shape, at most 65535, whose matrices lie one below the other:
	 * operands have so many times their rows. 0: one.
	 */
	__u32 batch;
};

/**
 * struct drm_mxe_wait - waits for a job, and says how it ended
 *
 * Returns 0 if the job has ended, with success or without. May be asked again, until
 * DRM_MXE_PARAM_MAX_JOBS further jobs have been submitted.
 *
 * Errors: ETIME, the job is still under way; ENOENT, there is no such job, or it is forgotten;
 * ENODEV, the job ended because the device has gone.
 */
struct drm_mxe_wait {
	/** @timeout_ns: on CLOCK_MONOTONIC; in the past (0): only look */
	__s64 timeout_ns;
	/** @job: as drm_mxe_submit gave it */
	__u32 job;
	/** @pad: 0 */
	__u32 pad;
	/** @code: out, 0 or a negative MXE_ERR_... of mxe_driver.h */
	__s32 code;
	/** @error: out, the same as 0 or a negative errno: MXE_ERRNO_TABLE */
	__s32 error;
	/** @status: out, MXE_STATUS_... as the device wrote it; ERR_ABORTED if the kernel ended it
	 */
	__u32 status;
	/** @fault_operand: out, MXE_FAULT_... of a bus error */
	__u32 fault_operand;
	/** @fault_write: out, whether it was a write */
	__u32 fault_write;
	/** @pad2: 0 */
	__u32 pad2;
	/** @fault_offset: out, where in the operand's object; all ones if elsewhere */
	__u64 fault_offset;
	/** @cycles: out, the engine's clocks for this job; 0 if unknown */
	__u64 cycles;
};

/**
 * struct drm_mxe_cancel - ends a job, or all of this file
 *
 * The job ends with ECANCELED in its turn; one that has ended keeps its result.
 *
 * Errors: ENOENT, there is no such job, or it has ended.
 */
struct drm_mxe_cancel {
	/** @job: as drm_mxe_submit gave it; 0: all */
	__u32 job;
	/** @pad: 0 */
	__u32 pad;
};

#define DRM_MXE_COUNTERS_MAX 32

/**
 * struct drm_mxe_counters - what the device counted, for all its users, of one clock
 */
struct drm_mxe_counters {
	/** @count: out, how many counters there are */
	__u32 count;
	/** @pad: 0 */
	__u32 pad;
	/** @value: out, in the order of their registers: TOTAL is the first (docs/registers.md) */
	__u64 value[DRM_MXE_COUNTERS_MAX];
};

#define DRM_IOCTL_MXE_GET_PARAM                                                                    \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_MXE_GET_PARAM, struct drm_mxe_get_param)
#define DRM_IOCTL_MXE_CREATE DRM_IOWR(DRM_COMMAND_BASE + DRM_MXE_CREATE, struct drm_mxe_create)
#define DRM_IOCTL_MXE_SUBMIT DRM_IOWR(DRM_COMMAND_BASE + DRM_MXE_SUBMIT, struct drm_mxe_submit)
#define DRM_IOCTL_MXE_WAIT DRM_IOWR(DRM_COMMAND_BASE + DRM_MXE_WAIT, struct drm_mxe_wait)
#define DRM_IOCTL_MXE_CANCEL DRM_IOW(DRM_COMMAND_BASE + DRM_MXE_CANCEL, struct drm_mxe_cancel)
#define DRM_IOCTL_MXE_COUNTERS                                                                     \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_MXE_COUNTERS, struct drm_mxe_counters)

#if defined(__cplusplus)
}
#endif

#endif
