/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR Apache-2.0 */
/**
 * DOC: The user-space interface of the engine: ioctls of /dev/accel/accelN
 *
 * A program creates objects, maps them, fills them with operands, and submits jobs that name
 * objects, offsets and strides. It receives no bus address. The kernel computes the bytes that a
 * job accesses and refuses a job that exceeds an object.
 *
 * Objects, jobs and results belong to an open file of the device. When the file is closed or its
 * process dies, its jobs are cancelled. Jobs of other files continue; if the engine had to be
 * reset, they run again from their beginning.
 *
 * Fields named pad and unnamed bits must be 0. New fields are added only at the end of a structure.
 *
 * All ioctls return 0, or -1 with an errno. Errors of every ioctl:
 *
 * ENODEV  the device has been removed (unplugged, unbound from its driver)
 * EIO     a reset of the engine failed; unbind the driver and bind it again
 * EINVAL  a field has an illegal value
 * EFAULT  a pointer is invalid
 * EINTR   a signal interrupted the call; call again
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
 * Maximum size of an object in bytes: the size of the area that was reserved at boot for objects
 * (reserve_mem=SIZE:4096:mxe on the kernel's command line), or 4 MiB if that is more.
 */
#define DRM_MXE_PARAM_MAX_OBJECT 0x80000000u
/* Maximum number of jobs in flight per file, and of stored results. */
#define DRM_MXE_PARAM_MAX_JOBS 0x80000001u

/**
 * struct drm_mxe_get_param - reads a property of the device or of the driver
 *
 * Errors: EINVAL, unknown parameter.
 */
struct drm_mxe_get_param {
	/**
	 * @param: DRM_MXE_PARAM_..., or the offset of ID, VERSION, FEATURES or a register that
	 * shows a parameter, such as NUM_PE (docs/registers.md)
	 */
	__u32 param;
	__u32 pad;
	/** @value: out */
	__u64 value;
};

/**
 * struct drm_mxe_create - creates an object: zeroed, contiguous memory
 *
 * DRM_IOCTL_GEM_CLOSE releases it. The memory stays while it is mapped or a job uses it.
 *
 * Errors: EINVAL, the size is 0; E2BIG, the size exceeds DRM_MXE_PARAM_MAX_OBJECT; ENOMEM, not
 * enough contiguous memory is free. The kernel logs E2BIG and ENOMEM.
 */
struct drm_mxe_create {
	/** @size: in bytes; rounded up to whole pages (5000: 8192) */
	__u64 size;
	__u32 pad;
	/** @handle: out, number of the object in this file; never 0 */
	__u32 handle;
	/** @map_offset: out, offset for mmap() of the device file with MAP_SHARED */
	__u64 map_offset;
};

/**
 * struct drm_mxe_operand - a matrix or its scales
 *
 * All fields are 0 if the job does not have this operand.
 */
struct drm_mxe_operand {
	/** @handle: of the object */
	__u32 handle;
	/** @stride: bytes from row to row */
	__u32 stride;
	/** @offset: of the first row in the object, in bytes */
	__u64 offset;
};

/* D = A * B^T + C instead of D = A * B^T. */
#define DRM_MXE_JOB_BIAS (1u << 0)
/* C is BF16 instead of FP32. */
#define DRM_MXE_JOB_BIAS_BF16 (1u << 1)
/* Elements of MX results beyond the largest one become NaN or infinity, else they saturate. */
#define DRM_MXE_JOB_OVERFLOW (1u << 2)
/* D = @alpha * A * B^T + C, each operation rounded to FP32. */
#define DRM_MXE_JOB_ALPHA (1u << 3)

/**
 * struct drm_mxe_submit - submits a job: D = A * B^T + C
 *
 * Returns at once. docs/driver.md describes formats, shapes and layouts. Jobs of a file run in the
 * order of submission, after their @in_syncs have signalled; files take turns.
 *
 * Each operand must lie within its object, from the first byte of its first row to the last byte of
 * its last row. Results must overlap neither operands nor each other.
 *
 * Errors: EINVAL, an operand violates these rules, is missing or is not used by the job, or a shape
 * or format is illegal; ENOENT, unknown object or syncobj; EAGAIN, DRM_MXE_PARAM_MAX_JOBS jobs are
 * in flight: wait for the oldest; ENOMEM.
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
	/** @a_scales: [m][ceil(k/32)], or [m][ceil(k/16)] with @block_a MXE_BLOCK_OF_16 */
	struct drm_mxe_operand a_scales;
	/** @b: elements, [n][k] */
	struct drm_mxe_operand b;
	/** @b_scales: [n][ceil(k/32)], or [n][ceil(k/16)] with @block_b MXE_BLOCK_OF_16 */
	struct drm_mxe_operand b_scales;
	/** @c: [m][n], with DRM_MXE_JOB_BIAS; stride 0: one row for all */
	struct drm_mxe_operand c;
	/** @d: results, [m][n] */
	struct drm_mxe_operand d;
	/** @d_scales: scales of results in an MX format, [m][ceil(n/32)] */
	struct drm_mxe_operand d_scales;
	/**
	 * @deadline_ns: on CLOCK_MONOTONIC. A job that has not ended at this time is cancelled; a
	 * waiting job ends after the jobs before it. 0: no deadline.
	 */
	__u64 deadline_ns;
	/** @in_syncs: pointer to an array of handles of syncobjs that the job waits for */
	__u64 in_syncs;
	/** @in_sync_count: length of @in_syncs, at most 64 */
	__u32 in_sync_count;
	/** @out_sync: handle of a syncobj that receives the job's fence, or 0 */
	__u32 out_sync;
	/** @job: out, number of the job in this file; never 0 */
	__u32 job;
	/**
	 * @batch: number of products of this shape, at most 65535; 0 means 1. Their matrices are
	 * stacked: with m = 8 and batch = 3, A and D have 24 rows.
	 */
	__u32 batch;
	/** @alpha: bits of an FP32 factor of the results, with DRM_MXE_JOB_ALPHA; else 0 */
	__u32 alpha;
	/** @scale_a: MXE_SCALE_..., kind of the scales of A */
	__u32 scale_a;
	/** @scale_b: MXE_SCALE_..., kind of the scales of B */
	__u32 scale_b;
	/** @block_a: MXE_BLOCK_..., elements of A that share a scale */
	__u32 block_a;
	/** @block_b: MXE_BLOCK_..., elements of B that share a scale */
	__u32 block_b;
	__u32 pad;
};

/**
 * struct drm_mxe_wait - waits for a job and returns its result
 *
 * Returns 0 if the job has ended, successfully or not. May be repeated until
 * DRM_MXE_PARAM_MAX_JOBS later jobs have been submitted.
 *
 * Errors: ETIME, the job has not ended; ENOENT, unknown job, or its result is no longer stored;
 * ENODEV, the job ended because the device was removed.
 */
struct drm_mxe_wait {
	/** @timeout_ns: end of the wait on CLOCK_MONOTONIC; 0: do not wait */
	__s64 timeout_ns;
	/** @job: drm_mxe_submit.job */
	__u32 job;
	__u32 pad;
	/** @code: out, 0 or a negative MXE_ERR_... of mxe_driver.h */
	__s32 code;
	/** @error: out, @code as 0 or a negative errno (MXE_ERRNO_TABLE; MXE_ERR_GONE: ENODEV) */
	__s32 error;
	/** @status: out, MXE_STATUS_... of the record; ERR_ABORTED if the kernel ended the job */
	__u32 status;
	/** @fault_operand: out, MXE_FAULT_... of a bus error */
	__u32 fault_operand;
	/** @fault_write: out, 1: bus error of a write, 0: of a read */
	__u32 fault_write;
	__u32 pad2;
	/** @fault_offset: out, byte offset in the operand's object; all ones: outside */
	__u64 fault_offset;
	/** @cycles: out, cycles of the job; 0 if unknown */
	__u64 cycles;
};

/**
 * struct drm_mxe_cancel - cancels a job or all jobs of this file
 *
 * The job ends with ECANCELED, after the jobs before it. A job that has ended keeps its result.
 *
 * Errors: ENOENT, @job is not 0, and is unknown or has ended.
 */
struct drm_mxe_cancel {
	/** @job: drm_mxe_submit.job; 0: all jobs */
	__u32 job;
	__u32 pad;
};

#define DRM_MXE_COUNTERS_MAX 32

/**
 * struct drm_mxe_counters - counters of the device for all its users, sampled in one cycle
 */
struct drm_mxe_counters {
	/** @count: out, number of counters */
	__u32 count;
	__u32 pad;
	/** @value: out, in the order of the registers, TOTAL first (docs/registers.md) */
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
