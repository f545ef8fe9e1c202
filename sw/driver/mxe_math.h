// SPDX-License-Identifier: Apache-2.0
/// @file
/// Conversions between numbers and microscaling operands, and lists of jobs for linear layers and
/// batched products.
///
/// Plain C11 in integer arithmetic: no library, no heap, no float instruction, no 64-bit division
/// or multiplication. The same source gives the same bits on every processor. Numbers are FP32 or
/// BF16 in the host's byte order; pointers may point to float or to integers with the bits. Results
/// equal those of the preset `ocp` with the same scale rule (docs/numerics.md) bit for bit.
///
///     struct mxe_numbers x = {.data = activations, .row_step = 128, .step = 1};
///     struct mxe_elements q = {.format = MXE_FORMAT_MXFP8_E4M3, .elements = bytes,
///                              .scales = scales, .stride = 128, .scale_stride = 4};
///     int code = mxe_quantize(&x, rows, 128, MXE_RULE_FLOOR, &q);
#ifndef MXE_MATH_H_
#define MXE_MATH_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mxe_driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Elements per scale.
#define MXE_BLOCK 32u

/// Bytes of a packed row of `k` elements; 0 for an unknown format. 5 elements of 6 bits: 4 bytes.
uint32_t mxe_row_bytes(uint32_t format, uint32_t k);

/// Scales of a row of `k` elements: ceil(k / 32). Example: k = 33: 2 scales.
uint32_t mxe_row_scales(uint32_t k);

/// A matrix of numbers to read. Steps count numbers, not bytes; swapped, they read the transpose.
struct mxe_numbers {
  const void* data;  ///< aligned to 4 bytes (BF16: 2)
  bool bf16;         ///< BF16 instead of FP32
  size_t row_step;   ///< from one row to the next
  size_t step;       ///< from one element of a row to the next; usually 1
};

/// A matrix in a microscaling format at host addresses, in the layout of a job's operand.
struct mxe_elements {
  uint32_t format;  ///< MXE_FORMAT_...
  uint8_t* elements;
  uint8_t* scales;
  size_t stride, scale_stride;  ///< bytes from row to row
};

/// Quantizes x[rows][k] along k with the scale rule `rule` (MXE_RULE_...). Elements round to
/// nearest even and saturate; subnormals and the sign of zero are kept. A NaN or an infinity sets
/// the scale of its block to NaN (0xFF) and the block's elements to 0. Unused bits in the last byte
/// of a row are 0. Bytes between rows are not written.
///
/// Errors, with nothing written: ARGUMENT (a null pointer, an unknown rule), FORMAT.
int mxe_quantize(const struct mxe_numbers* x, uint32_t rows, uint32_t k, uint32_t rule,
                 const struct mxe_elements* out);

/// Writes the values of q[rows][k] as FP32 to `out`, rows `row_step` numbers apart. The values are
/// exact; a value beyond FP32 becomes infinity. Every NaN is 0x7FC00000.
///
/// Errors: ARGUMENT, FORMAT.
int mxe_dequantize(const struct mxe_elements* q, uint32_t rows, uint32_t k, void* out,
                   size_t row_step);

/// Packs a row of `k` element codes, one code per byte, into mxe_row_bytes() bytes. Ignores code
/// bits above the format's width. Errors: ARGUMENT, FORMAT.
int mxe_pack(uint32_t format, const uint8_t* codes, uint32_t k, uint8_t* row);

/// Unpacks a row of `k` elements into codes, one code per byte. Errors: ARGUMENT, FORMAT.
int mxe_unpack(uint32_t format, const uint8_t* row, uint32_t k, uint8_t* codes);

/// A matrix at bus addresses, or the first matrix of a list of jobs and the step to the next.
struct mxe_operand {
  uint32_t format;                ///< A, B: MXE_FORMAT_...; C: MXE_OUT_FP32, _BF16; D: MXE_OUT_...
  uint64_t addr, scale_addr;      ///< bus addresses
  uint32_t stride, scale_stride;  ///< bytes from row to row
  uint64_t step, scale_step;      ///< bytes from one matrix to the next; 0: same matrix
  uint32_t share;                 ///< consecutive jobs that use the same matrix; 0 means 1
};

/// D[m][n] = C[m][n] + sum over k of A[m][k] * B[n][k].
struct mxe_product {
  uint32_t m, n, k;
  const struct mxe_operand *a, *b;
  const struct mxe_operand* c;  ///< null: none; stride 0: one row of C for all rows
  const struct mxe_operand* d;
  uint32_t out_rule;  ///< MXE_RULE_..., scale rule of an MX result; else ignored
  bool out_overflow;  ///< as in struct mxe_job
};

/// Fills a list of `count` jobs. Job i uses matrix i / share of each operand; share = 4: jobs 0 to
/// 3 use matrix 0.
///
/// A linear layer is one job: A = activations, B = weights as [outputs][inputs], C = bias with a
/// stride of 0 (or a residual with its stride). Attention is one job per head:
///
///     scores    A = Q [queries][width], B = K [keys][width], D = FP32 [queries][keys]
///     results   A = softmax of the scores [queries][keys], B = transpose of V [width][keys]
///
/// B's `share` is the number of query heads per head of K and V. If each row of Q holds all heads,
/// the step of Q is mxe_row_bytes(format, width), and the width must be a multiple of 32. If each
/// row of results holds all heads, their step is the bytes of `width` numbers.
///
/// Errors: ARGUMENT (a null pointer, an unknown format of C, a rule or a format of D beyond the
/// last), SHAPE, FORMAT. The completion of a job reports all other errors.
int mxe_batch(const struct mxe_product* product, uint32_t count, struct mxe_job* jobs);

#ifdef __cplusplus
}
#endif

#endif  // MXE_MATH_H_
