// SPDX-License-Identifier: Apache-2.0
/// @file
/// Example of the driver without an operating system: multiply() computes D = A * B^T for one
/// 8 x 8 x 32 product of mxfp8_e4m3 operands. Bus addresses equal host addresses, memory is
/// coherent, and the driver polls.
#include "ports/bare_metal.h"

enum { M = 8, N = 8, K = 32, RING_ENTRIES = 4, ONE_SECOND = 1000000 };

// The ring: 128 bytes per entry, aligned to 128. Operands need no alignment, FP32 results 4 bytes.
static _Alignas(MXE_DESC_SIZE) uint8_t ring[RING_ENTRIES * MXE_DESC_SIZE];

static struct mxe_slot slots[RING_ENTRIES];

static uint64_t bus_address(const volatile void* pointer) { return (uintptr_t)pointer; }

/// `a` and `b` are row-major element codes of one byte; `a_scales` and `b_scales` hold one scale
/// per row, because K is one block. `d` receives FP32 bits. `now_us` is a monotonic clock in
/// microseconds. Returns a code of enum mxe_result_code.
int multiply(void* registers, uint64_t (*now_us)(void*), const uint8_t a[M][K],
             const uint8_t a_scales[M], const uint8_t b[N][K], const uint8_t b_scales[N],
             uint32_t d[M][N]);

int multiply(void* registers, uint64_t (*now_us)(void*), const uint8_t a[M][K],
             const uint8_t a_scales[M], const uint8_t b[N][K], const uint8_t b_scales[N],
             uint32_t d[M][N]) {
  const struct mxe_ring memory = {
      .mem = ring, .bus_addr = bus_address(ring), .slots = slots, .entries = RING_ENTRIES};
  const struct mxe_job job = {
      .format_a = MXE_FORMAT_MXFP8_E4M3,
      .format_b = MXE_FORMAT_MXFP8_E4M3,
      .out_format = MXE_OUT_FP32,
      .m = M,
      .n = N,
      .k = K,
      .a_addr = bus_address(a),
      .a_stride = K,
      .a_scale_addr = bus_address(a_scales),
      .a_scale_stride = 1,
      .b_addr = bus_address(b),
      .b_stride = K,
      .b_scale_addr = bus_address(b_scales),
      .b_scale_stride = 1,
      .d_addr = bus_address(d),
      .d_stride = N * sizeof(d[0][0]),
  };
  struct mxe_port port;
  struct mxe_device dev;
  uint32_t id = 0;
  mxe_bare_metal_port(&port, registers);
  port.now_us = now_us;
  int code = mxe_open(&dev, &port, &memory);
  if (code != MXE_OK) return code;
  code = mxe_submit(&dev, &job, NULL, &id);
  if (code == MXE_OK) code = mxe_wait(&dev, id, ONE_SECOND, NULL);
  const int closed = mxe_close(&dev, ONE_SECOND);
  return code != MXE_OK ? code : closed;
}
