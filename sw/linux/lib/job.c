// SPDX-License-Identifier: Apache-2.0
// Converts descriptors to jobs of the kernel.
#include <errno.h>
#include <stddef.h>

#include "connection.h"

enum { OPERANDS = 7 };

static uint32_t word(const volatile uint32_t* descriptor, uint32_t offset) {
  return descriptor[offset / sizeof *descriptor];
}

static uint64_t address(const volatile uint32_t* descriptor, uint32_t offset) {
  return word(descriptor, offset) | (uint64_t)word(descriptor, offset + 4) << 32;
}

static uint32_t field(uint32_t control, uint32_t mask, unsigned shift) {
  return (control & mask) >> shift;
}

#define FIELD(control, NAME) \
  field(control, MXE_DESC_CONTROL_##NAME##_MASK, MXE_DESC_CONTROL_##NAME##_SHIFT)

/// The inverse of write_descriptor() in mxe_driver.c.
static struct mxe_job decode(const volatile uint32_t* d) {
  const uint32_t control = word(d, MXE_DESC_CONTROL);
  return (struct mxe_job){
      .format_a = FIELD(control, FMT_A),
      .format_b = FIELD(control, FMT_B),
      .out_format = FIELD(control, OUT_FMT),
      .out_rule = FIELD(control, OUT_RULE),
      .out_overflow = FIELD(control, OUT_OVERFLOW) != 0,
      .bias = FIELD(control, BIAS_EN) != 0,
      .bias_bf16 = FIELD(control, BIAS_BF16) != 0,
      .m = word(d, MXE_DESC_M),
      .n = word(d, MXE_DESC_N),
      .k = word(d, MXE_DESC_K),
      .batch = (word(d, MXE_DESC_BATCH) & MXE_DESC_BATCH_COUNT_MASK) >> MXE_DESC_BATCH_COUNT_SHIFT,
      .a_addr = address(d, MXE_DESC_A_ADDR),
      .b_addr = address(d, MXE_DESC_B_ADDR),
      .a_scale_addr = address(d, MXE_DESC_A_SCALE_ADDR),
      .b_scale_addr = address(d, MXE_DESC_B_SCALE_ADDR),
      .c_addr = address(d, MXE_DESC_C_ADDR),
      .d_addr = address(d, MXE_DESC_D_ADDR),
      .d_scale_addr = address(d, MXE_DESC_D_SCALE_ADDR),
      .a_stride = word(d, MXE_DESC_A_STRIDE),
      .b_stride = word(d, MXE_DESC_B_STRIDE),
      .a_scale_stride = word(d, MXE_DESC_A_SCALE_STRIDE),
      .b_scale_stride = word(d, MXE_DESC_B_SCALE_STRIDE),
      .c_stride = word(d, MXE_DESC_C_STRIDE),
      .d_stride = word(d, MXE_DESC_D_STRIDE),
      .d_scale_stride = word(d, MXE_DESC_D_SCALE_STRIDE),
  };
}

static void end_here(struct pending* job, uint32_t status) {
  *job = (struct pending){.local = {.status = status}};
}

/// An operand; arrays are in the order of MXE_FAULT_A to MXE_FAULT_D_SCALES.
struct operand {
  const struct mxe_range* extent;  // size 0: the job does not have this operand
  uint64_t addr;
  uint32_t stride;
  struct drm_mxe_operand* to;
};

/// Converts an operand's address to handle and offset. If the operand exceeds its memory, ends the
/// job as after a bus error and returns false.
static bool place(const struct mxe_linux* conn, uint32_t fault, const struct operand* operand,
                  struct pending* job) {
  const struct memory* memory = conn_memory_at(conn, operand->addr);
  const bool result = fault == MXE_FAULT_D || fault == MXE_FAULT_D_SCALES;
  const uint64_t offset = memory ? operand->addr - memory->address : 0;
  if (memory && operand->extent->size <= memory->size - offset) {
    *operand->to = (struct drm_mxe_operand){memory->handle, operand->stride, offset};
    return true;
  }
  end_here(job, result ? MXE_STATUS_ERR_WRITE : MXE_STATUS_ERR_READ);
  job->local.fault_operand = fault;
  job->local.fault_write = result;
  job->local.fault_offset = memory ? memory->address + memory->size : operand->addr;
  return false;
}

static bool place_all(const struct mxe_linux* conn, const struct mxe_job* job,
                      const struct mxe_extents* extents, struct drm_mxe_submit* args,
                      struct pending* pending) {
  const struct operand operands[OPERANDS] = {
      {&extents->a, job->a_addr, job->a_stride, &args->a},
      {&extents->a_scales, job->a_scale_addr, job->a_scale_stride, &args->a_scales},
      {&extents->b, job->b_addr, job->b_stride, &args->b},
      {&extents->b_scales, job->b_scale_addr, job->b_scale_stride, &args->b_scales},
      {&extents->c, job->c_addr, job->c_stride, &args->c},
      {&extents->d, job->d_addr, job->d_stride, &args->d},
      {&extents->d_scales, job->d_scale_addr, job->d_scale_stride, &args->d_scales},
  };
  for (uint32_t i = 0; i < OPERANDS; i++) {
    if (operands[i].extent->size == 0) continue;
    if (!place(conn, MXE_FAULT_A + i, &operands[i], pending)) return false;
  }
  return true;
}

/// Returns the device's status for a job that mxe_job_extents() refuses.
static uint32_t status_of_refusal(int code) {
  switch (code) {
    case MXE_ERR_SHAPE:
      return MXE_STATUS_ERR_SHAPE;
    case MXE_ERR_FORMAT:
      return MXE_STATUS_ERR_FORMAT;
    case MXE_ERR_OUT_FORMAT:
      return MXE_STATUS_ERR_OUT_FORMAT;
    case MXE_ERR_ADDRESS:
      return MXE_STATUS_ERR_READ;
    default:
      return MXE_STATUS_ERR_DESCRIPTOR;
  }
}

static bool is_misaligned(const struct mxe_job* job) {
  return !job->bias && job->c_addr % (job->bias_bf16 ? 2 : 4) != 0;
}

void conn_submit(struct mxe_linux* conn, const volatile uint32_t* descriptor,
                 struct pending* pending) {
  const struct mxe_job job = decode(descriptor);
  struct mxe_extents extents = {0};
  struct drm_mxe_submit args = {
      .flags = (job.bias ? DRM_MXE_JOB_BIAS : 0) | (job.bias_bf16 ? DRM_MXE_JOB_BIAS_BF16 : 0) |
               (job.out_overflow ? DRM_MXE_JOB_OVERFLOW : 0),
      .format_a = job.format_a,
      .format_b = job.format_b,
      .out_format = job.out_format,
      .out_rule = job.out_rule,
      .m = job.m,
      .n = job.n,
      .k = job.k,
      .batch = job.batch,
  };
  const int code = mxe_job_extents(NULL, &job, NULL, 0, &extents);
  if (code != MXE_OK) {
    end_here(pending, status_of_refusal(code));
  } else if (is_misaligned(&job)) {  // C_ADDR without a bias: the kernel does not receive it
    end_here(pending, MXE_STATUS_ERR_ALIGN);
  } else if (place_all(conn, &job, &extents, &args, pending)) {
    if (conn_ioctl(conn, DRM_IOCTL_MXE_SUBMIT, &args) == 0) {
      *pending = (struct pending){.kernel_job = args.job};
    } else {
      end_here(pending, MXE_STATUS_ERR_ABORTED);
    }
  }
}

static void name_fault(const struct mxe_linux* conn, const volatile uint32_t* descriptor,
                       struct drm_mxe_wait* result) {
  static const uint32_t words[OPERANDS] = {
      MXE_DESC_A_ADDR, MXE_DESC_A_SCALE_ADDR, MXE_DESC_B_ADDR,       MXE_DESC_B_SCALE_ADDR,
      MXE_DESC_C_ADDR, MXE_DESC_D_ADDR,       MXE_DESC_D_SCALE_ADDR,
  };
  const uint32_t which = result->fault_operand - MXE_FAULT_A;
  if (which >= OPERANDS || result->fault_offset == UINT64_MAX) return;
  const struct memory* memory = conn_memory_at(conn, address(descriptor, words[which]));
  if (memory) result->fault_offset += memory->address;
}

bool conn_wait(struct mxe_linux* conn, const struct pending* job,
               const volatile uint32_t* descriptor, uint64_t until_ns,
               struct drm_mxe_wait* result) {
  *result = job->local;
  if (!job->kernel_job) return true;
  *result = (struct drm_mxe_wait){.job = job->kernel_job, .timeout_ns = (int64_t)until_ns};
  const int error = conn_ioctl(conn, DRM_IOCTL_MXE_WAIT, result);
  if (error == ETIME || conn->gone) return false;
  if (error != 0) result->status = MXE_STATUS_ERR_ABORTED;  // the result is no longer stored
  name_fault(conn, descriptor, result);
  return true;
}
