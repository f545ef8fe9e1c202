// SPDX-License-Identifier: Apache-2.0
#include "job.h"

enum {
  ONE_SECOND = 1000000,
  WHOLE_NUMBERS = 127 + 6,  // MXINT8 has six bits after the point; a scale of 2^6 cancels them
};

static void fill(struct job_memory* memory) {
  for (int k = 0; k < K; k++) {
    for (int m = 0; m < M; m++) memory->a[m][k] = (int8_t)(m + k);
    for (int n = 0; n < N; n++) memory->b[n][k] = (int8_t)(n + 1);
  }
  for (int m = 0; m < M; m++) memory->a_scales[m] = WHOLE_NUMBERS;
  for (int n = 0; n < N; n++) memory->b_scales[n] = WHOLE_NUMBERS;
}

/// The integer from 1 to 2^24 - 1 whose FP32 bits are `bits`.
static uint32_t to_integer(uint32_t bits) {
  const uint32_t exponent = bits >> 23, fraction = bits & 0x7fffff;
  return (fraction | 0x800000) >> (127 + 23 - exponent);
}

static int multiply(struct mxe_device* dev, uint64_t address) {
  const struct mxe_job job = {
      .format_a = MXE_FORMAT_MXINT8,
      .format_b = MXE_FORMAT_MXINT8,
      .out_format = MXE_OUT_FP32,
      .m = M,
      .n = N,
      .k = K,
      .a_addr = address + offsetof(struct job_memory, a),
      .a_stride = K,
      .a_scale_addr = address + offsetof(struct job_memory, a_scales),
      .a_scale_stride = 1,
      .b_addr = address + offsetof(struct job_memory, b),
      .b_stride = K,
      .b_scale_addr = address + offsetof(struct job_memory, b_scales),
      .b_scale_stride = 1,
      .d_addr = address + offsetof(struct job_memory, d),
      .d_stride = N * sizeof(uint32_t),
  };
  uint32_t id = 0;
  const int code = mxe_submit(dev, &job, NULL, &id);
  return code == MXE_OK ? mxe_wait(dev, id, ONE_SECOND, NULL) : code;
}

int run_job(const struct mxe_port* port, struct job_memory* memory, uint64_t address) {
  static struct mxe_slot slots[RING_ENTRIES];
  const struct mxe_ring ring = {
      .mem = memory->ring, .bus_addr = address, .slots = slots, .entries = RING_ENTRIES};
  struct mxe_device dev;
  fill(memory);
  int code = mxe_open(&dev, port, &ring);
  if (code != MXE_OK) return code;
  code = multiply(&dev, address);
  const int closed = mxe_close(&dev, ONE_SECOND);
  for (int m = 0; m < M; m++) {
    for (int n = 0; n < N; n++) memory->d[m][n] = to_integer(memory->d[m][n]);
  }
  return code != MXE_OK ? code : closed;
}
