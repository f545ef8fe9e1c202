// SPDX-License-Identifier: Apache-2.0
/// @file
/// D = A * B^T for small whole numbers.
#ifndef JOB_H_
#define JOB_H_

#include "mxe_driver.h"

enum { M = 2, N = 3, K = 32, RING_ENTRIES = 4 };

/// Memory that the engine reads and writes, at a multiple of 128.
struct job_memory {
  uint8_t ring[RING_ENTRIES][MXE_DESC_SIZE];
  int8_t a[M][K], b[N][K];
  uint8_t a_scales[M], b_scales[N];  // a row is one block
  uint32_t d[M][N];                  // FP32
};

/// Fills A and B, multiplies, and converts D to integers. `address`: bus address of `memory`.
/// Returns MXE_OK or an error code.
int run_job(const struct mxe_port* port, struct job_memory* memory, uint64_t address);

#endif  // JOB_H_
