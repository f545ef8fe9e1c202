// SPDX-License-Identifier: Apache-2.0
// mxe_queue with the kernel's engine. A function makes at most one ioctl; none if it refuses a job.
#include <errno.h>
#include <stddef.h>

#include "connection.h"

/// An operand; arrays are in the order of MXE_FAULT_A to MXE_FAULT_D_SCALES.
struct operand {
  const struct mxe_range* extent;  // size 0: the job does not have this operand
  uint64_t addr;
  uint32_t stride;
  struct drm_mxe_operand* to;
};

static void refuse(struct job* job, int code) {
  job->refusal = (struct mxe_completion){.code = code, .status = (uint32_t)(-100 - code)};
}

/// Converts an operand's address to handle and offset. False: it exceeds its memory, job refused.
static bool locate(const struct mxe_linux* conn, uint32_t which, const struct operand* operand,
                   struct job* job) {
  const struct memory* memory = conn_memory_at(conn, operand->addr);
  const uint64_t offset = memory ? operand->addr - memory->address : 0;
  if (memory && operand->extent->size <= memory->size - offset) {
    *operand->to = (struct drm_mxe_operand){memory->handle, operand->stride, offset};
    job->memories[which] = memory->address;
    return true;
  }
  const uint32_t fault = MXE_FAULT_A + which;
  const bool is_result = fault == MXE_FAULT_D || fault == MXE_FAULT_D_SCALES;
  refuse(job, is_result ? MXE_ERR_WRITE : MXE_ERR_READ);
  job->refusal.fault_operand = fault;
  job->refusal.fault_write = is_result;
  job->refusal.fault_addr = memory ? memory->address + memory->size : operand->addr;
  return false;
}

static bool locate_all(const struct mxe_linux* conn, const struct mxe_job* from,
                       const struct mxe_extents* extents, struct drm_mxe_submit* args,
                       struct job* job) {
  const struct operand operands[OPERANDS] = {
      {&extents->a, from->a_addr, from->a_stride, &args->a},
      {&extents->a_scales, from->a_scale_addr, from->a_scale_stride, &args->a_scales},
      {&extents->b, from->b_addr, from->b_stride, &args->b},
      {&extents->b_scales, from->b_scale_addr, from->b_scale_stride, &args->b_scales},
      {&extents->c, from->c_addr, from->c_stride, &args->c},
      {&extents->d, from->d_addr, from->d_stride, &args->d},
      {&extents->d_scales, from->d_scale_addr, from->d_scale_stride, &args->d_scales},
  };
  for (uint32_t i = 0; i < OPERANDS; i++) {
    if (operands[i].extent->size != 0 && !locate(conn, i, &operands[i], job)) return false;
  }
  return true;
}

/// Returns the code of the engine for a job that mxe_job_extents() refuses with `code`.
static int code_of_refusal(int code) {
  if (code <= MXE_ERR_DESCRIPTOR) return code;
  return code == MXE_ERR_ADDRESS ? MXE_ERR_READ : MXE_ERR_DESCRIPTOR;
}

/// The kernel does not receive C_ADDR of a job without bias, so its alignment is checked here.
static bool is_misaligned(const struct mxe_job* job) {
  return !job->bias && job->c_addr % (job->bias_bf16 ? 2 : 4) != 0;
}

static uint64_t nanoseconds(uint64_t microseconds) {
  const uint64_t most = INT64_MAX / 1000;
  return (microseconds < most ? microseconds : most) * 1000u;
}

static void queue_submit(void* ctx, uint32_t place, const struct mxe_job* from,
                         uint64_t deadline_us) {
  struct mxe_linux* conn = ctx;
  struct job* job = &conn->jobs[place];
  struct mxe_extents extents = {0};
  struct drm_mxe_submit args = {
      .flags = (from->bias ? DRM_MXE_JOB_BIAS : 0) | (from->bias_bf16 ? DRM_MXE_JOB_BIAS_BF16 : 0) |
               (from->out_overflow ? DRM_MXE_JOB_OVERFLOW : 0) |
               (from->alpha ? DRM_MXE_JOB_ALPHA : 0),
      .format_a = from->format_a,
      .format_b = from->format_b,
      .out_format = from->out_format,
      .out_rule = from->out_rule,
      .m = from->m,
      .n = from->n,
      .k = from->k,
      .batch = from->batch,
      .deadline_ns = nanoseconds(deadline_us),
      .alpha = from->alpha ? from->alpha_bits : 0,
      .scale_a = from->scale_a,
      .scale_b = from->scale_b,
      .block_a = from->block_a,
      .block_b = from->block_b,
  };
  *job = (struct job){0};
  const int code = mxe_job_extents(NULL, from, NULL, 0, &extents);
  if (code != MXE_OK) {
    refuse(job, code_of_refusal(code));
  } else if (is_misaligned(from)) {
    refuse(job, MXE_ERR_ALIGN);
  } else if (locate_all(conn, from, &extents, &args, job)) {
    if (conn_ioctl(conn, DRM_IOCTL_MXE_SUBMIT, &args) == 0) {
      job->number = args.job;
    } else {
      refuse(job, MXE_ERR_ABORTED);
    }
  }
}

/// MXE_ERR_TIMEOUT, GONE and others are of the device, not of a job: a job that the kernel ended
/// with one counts as aborted.
static int code_of_result(int code) {
  const bool is_of_job = code == MXE_OK || code == MXE_ERR_DEADLINE || code <= MXE_ERR_DESCRIPTOR;
  return is_of_job ? code : MXE_ERR_ABORTED;
}

static uint64_t fault_address(const struct job* job, const struct drm_mxe_wait* result) {
  const uint32_t which = result->fault_operand - MXE_FAULT_A;
  const bool is_inside = which < OPERANDS && result->fault_offset != UINT64_MAX;
  return is_inside ? job->memories[which] + result->fault_offset : result->fault_offset;
}

static struct mxe_completion completion_of(const struct job* job,
                                           const struct drm_mxe_wait* result) {
  return (struct mxe_completion){.code = code_of_result(result->code),
                                 .status = result->status,
                                 .cycles = result->cycles,
                                 .fault_operand = result->fault_operand,
                                 .fault_write = result->fault_write != 0,
                                 .fault_addr = fault_address(job, result)};
}

static int queue_wait(void* ctx, uint32_t place, uint32_t timeout_us,
                      struct mxe_completion* completion) {
  struct mxe_linux* conn = ctx;
  struct job* job = &conn->jobs[place];
  struct drm_mxe_wait result = {.job = job->number};
  if (timeout_us) result.timeout_ns = (int64_t)(conn_now_ns() + nanoseconds(timeout_us));
  const int error = job->number ? conn_ioctl(conn, DRM_IOCTL_MXE_WAIT, &result) : 0;
  if (conn->gone) return MXE_ERR_GONE;
  if (error == ETIME) return MXE_ERR_TIMEOUT;
  if (error != 0) refuse(job, MXE_ERR_ABORTED);  // the kernel no longer has the result
  *completion = job->number && !error ? completion_of(job, &result) : job->refusal;
  return MXE_OK;
}

/// Cancels a job of the kernel, or all (0). A job that has ended keeps its result.
static int cancel(struct mxe_linux* conn, uint32_t number) {
  struct drm_mxe_cancel args = {.job = number};
  conn_ioctl(conn, DRM_IOCTL_MXE_CANCEL, &args);
  return conn->gone ? MXE_ERR_GONE : MXE_OK;
}

static int queue_cancel(void* ctx, uint32_t place) {
  struct mxe_linux* conn = ctx;
  const uint32_t number = conn->jobs[place].number;
  return number ? cancel(conn, number) : MXE_OK;
}

static int queue_reset(void* ctx) { return cancel(ctx, 0); }

static int read_device_counters(struct mxe_linux* conn, struct mxe_counters* counters) {
  struct drm_mxe_counters now = {0};
  if (conn_ioctl(conn, DRM_IOCTL_MXE_COUNTERS, &now) != 0) return MXE_ERR_GONE;
#define COUNTER(member, NAME) \
  counters->member = now.value[(MXE_REG_##NAME##_LO - MXE_REG_TOTAL_LO) / 8];
  MXE_COUNTERS(COUNTER)
#undef COUNTER
  return MXE_OK;
}

static int queue_read_counters(void* ctx, struct mxe_counters* counters) {
  struct mxe_linux* conn = ctx;
  const int code = read_device_counters(conn, counters);
  if (code != MXE_OK) return code;
#define COUNTER(member, NAME) counters->member -= conn->before.member;
  MXE_COUNTERS(COUNTER)
#undef COUNTER
  return MXE_OK;
}

/// The device's counters are not cleared, because other programs read them too.
static int queue_clear_counters(void* ctx) {
  struct mxe_linux* conn = ctx;
  return read_device_counters(conn, &conn->before);
}

const struct mxe_queue conn_queue = {
    .submit = queue_submit,
    .wait = queue_wait,
    .cancel = queue_cancel,
    .reset = queue_reset,
    .read_counters = queue_read_counters,
    .clear_counters = queue_clear_counters,
};
