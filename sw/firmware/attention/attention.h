// SPDX-License-Identifier: Apache-2.0
/// The attention of one transformer layer with the driver and mxe_math.h, with synthetic weights:
/// 48 tokens of 128 numbers, four query heads, two heads of keys and values, mxfp8_e4m3:
///
///     Q, K, V = X Wq, X Wk, X Wv
///     heads   = softmax(Q K^T / sqrt(width)) V, for each head
///     Y       = heads Wo + X
///
/// It needs no library and no floating point; the platform is accessed only through the port.
#ifndef ATTENTION_H_
#define ATTENTION_H_

#include <stdalign.h>

#include "mxe_driver.h"

enum {
  ATTENTION_TOKENS = 48,
  ATTENTION_WIDTH = 32,  // numbers per head
  ATTENTION_HEADS = 4,
  ATTENTION_KV_HEADS = 2,
  ATTENTION_MODEL = ATTENTION_HEADS * ATTENTION_WIDTH,
  ATTENTION_KV = ATTENTION_KV_HEADS * ATTENTION_WIDTH,
  ATTENTION_RING = 16,
  ATTENTION_BLOCK = 32,
  ATTENTION_TOKEN_BLOCKS = (ATTENTION_TOKENS + ATTENTION_BLOCK - 1) / ATTENTION_BLOCK,
};

#define ATTENTION_MATRIX(rows, k)                                        \
  struct {                                                               \
    uint8_t elements[rows][k];                                           \
    uint8_t scales[rows][((k) + ATTENTION_BLOCK - 1) / ATTENTION_BLOCK]; \
  }

/// Memory that the device accesses, aligned to 128. Numbers are FP32 bits.
struct attention_memory {
  alignas(MXE_DESC_SIZE) uint8_t ring[ATTENTION_RING * MXE_DESC_SIZE];
  uint32_t x[ATTENTION_TOKENS][ATTENTION_MODEL];
  uint32_t q[ATTENTION_TOKENS][ATTENTION_MODEL];
  uint32_t k[ATTENTION_TOKENS][ATTENTION_KV];
  uint32_t v[ATTENTION_TOKENS][ATTENTION_KV];
  uint32_t scores[ATTENTION_HEADS][ATTENTION_TOKENS][ATTENTION_TOKENS];
  uint32_t heads[ATTENTION_TOKENS][ATTENTION_MODEL];
  uint32_t y[ATTENTION_TOKENS][ATTENTION_MODEL];
  ATTENTION_MATRIX(ATTENTION_TOKENS, ATTENTION_MODEL) mx_x, mx_q, mx_heads;
  ATTENTION_MATRIX(ATTENTION_TOKENS, ATTENTION_KV) mx_k;
  ATTENTION_MATRIX(ATTENTION_WIDTH, ATTENTION_TOKENS) mx_v[ATTENTION_KV_HEADS];  // transposed
  ATTENTION_MATRIX(ATTENTION_TOKENS, ATTENTION_TOKENS) mx_weights[ATTENTION_HEADS];
  ATTENTION_MATRIX(ATTENTION_MODEL, ATTENTION_MODEL) wq, wo;  // [outputs][inputs]
  ATTENTION_MATRIX(ATTENTION_KV, ATTENTION_MODEL) wk, wv;
};

/// Computes memory->y. `bus_address` is the bus address of `memory`. Returns a code of the driver.
int attention_run(const struct mxe_port* port, struct attention_memory* memory,
                  uint64_t bus_address);

#endif  // ATTENTION_H_
