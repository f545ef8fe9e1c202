// SPDX-License-Identifier: Apache-2.0
/// @file
/// What surrounds a job of the MXE matrix engine: numbers to microscaling operands and back, and
/// lists of jobs for linear layers and batched products.
///
/// Plain C11 in integer arithmetic without a library, as mxe_driver.h: no heap, no float
/// instruction, no 64-bit division or multiplication, so the same source gives the same bits on
/// every processor. Numbers are FP32 or BF16 in the host's byte order; a pointer to them may be one
/// to float or to integers that hold the bits. Results are those of the preset `ocp`
/// (docs/numerics.md), bit for bit.
///
///     struct mxe_numbers x = {.data = activations, .row_step = 128, .step = 1};
///     struct mxe_elements q = {.format = MXE_FORMAT_MXFP8_E4M3, .elements = bytes,
///                              .scales = scales, .stride = 128, .scale_stride = 4};
///     int code = mxe_quantize(&x, rows, 128, MXE_RULE_FLOOR, &q);
///
/// mxe_float.h has the arithmetic between the products: sums and softmax.
#ifndef MXE_MATH_H_
#define MXE_MATH_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mxe_driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Elements that share a scale.
#define MXE_BLOCK 32u

/// Bytes of a packed row of `k` elements of MXE_FORMAT_...; 0 for an unknown format.
uint32_t mxe_row_bytes(uint32_t format, uint32_t k);

/// Scales of such a row: one for each 32 elements, the last block may be short.
uint32_t mxe_row_scales(uint32_t k);

/// A matrix of numbers to read. Both steps count numbers; exchanging them reads the transpose.
struct mxe_numbers {
  const void* data;  ///< aligned to its numbers
  bool bf16;         ///< BF16 instead of FP32
  size_t row_step;   ///< from one row to the next
  size_t step;       ///< from one element of a row to the next; usually 1
};

/// A matrix in a microscaling format as the host sees it, laid out as a job's operand.
struct mxe_elements {
  uint32_t format;  ///< MXE_FORMAT_...
  uint8_t* elements;
  uint8_t* scales;
  size_t stride, scale_stride;  ///< bytes from row to row
};

/// Quantizes x[rows][k] along k. Elements round to nearest even, saturate, keep subnormals and the
/// sign of zero. A NaN or an infinity makes the scale of its block NaN (0xFF) and the elements 0.
/// The bits that the last byte of a row has beyond k elements are 0; bytes between rows stay.
///
/// Errors: ARGUMENT (a null pointer, an unknown rule), FORMAT. Nothing was written then.
int mxe_quantize(const struct mxe_numbers* x, uint32_t rows, uint32_t k, uint32_t rule,
                 const struct mxe_elements* out);

/// The values of q[rows][k] as FP32, rows `row_step` numbers apart: exact, except that those beyond
/// FP32 become infinities. Every NaN is 0x7FC00000.
///
/// Errors: ARGUMENT, FORMAT.
int mxe_dequantize(const struct mxe_elements* q, uint32_t rows, uint32_t k, void* out,
                   size_t row_step);

/// Packs a row of `k` element codes, one a byte, into mxe_row_bytes() bytes; bits of a code beyond
/// its format are ignored. Errors: ARGUMENT, FORMAT.
int mxe_pack(uint32_t format, const uint8_t* codes, uint32_t k, uint8_t* row);

/// The inverse. Errors: ARGUMENT, FORMAT.
int mxe_unpack(uint32_t format, const uint8_t* row, uint32_t k, uint8_t* codes);

/// A matrix as the device sees it, or as many as a list of jobs has: the first one, and how to find
/// the next.
struct mxe_operand {
  uint32_t format;                ///< A, B: MXE_FORMAT_...; C: MXE_OUT_FP32, _BF16; D: MXE_OUT_...
  uint64_t addr, scale_addr;      ///< bus addresses
  uint32_t stride, scale_stride;  ///< bytes from row to row
  uint64_t step, scale_step;      ///< bytes from one job's matrix to the next one's; 0: the same
  uint32_t share;                 ///< so many jobs in a row use the same matrix; 0 is 1
};

/// D[m][n] = C[m][n] + sum over k of A[m][k] * B[n][k].
struct mxe_product {
  uint32_t m, n, k;
  const struct mxe_operand *a, *b;
  const struct mxe_operand* c;  ///< null: none; with a stride of 0 one row of C for all rows
  const struct mxe_operand* d;
  uint32_t out_rule;  ///< MXE_RULE_..., of an MX result; else ignored
  bool out_overflow;  ///< as in struct mxe_job
};

/// Fills a list of `count` jobs: job i has matrix i / share of each operand. One job is a linear
/// layer: A are the activations, B the weights as [outputs][inputs], C the bias with a stride of 0
/// (or, with a stride, a residual to add). A job for each head is attention:
///
///     scores    A = Q [queries][width], B = K [keys][width], D = FP32 [queries][keys]
///     results   A = softmax of the scores [queries][keys], B = transpose of V [width][keys]
///
/// where B's `share` is the number of query heads to a head of K and V. Steps and strides place the
/// heads: those of Q lie side by side in rows of all heads if its step is mxe_row_bytes(format,
/// width), and so do those of the results if their step is the bytes of `width` numbers. (A head
/// that starts within a row must start with a block there: a width of a multiple of 32.)
///
/// Errors: ARGUMENT (a null pointer, an unknown format of C, a code that does not fit a
/// descriptor), SHAPE, FORMAT. What else the device makes of a job, its completion tells.
int mxe_batch(const struct mxe_product* product, uint32_t count, struct mxe_job* jobs);

#ifdef __cplusplus
}
#endif

#endif  // MXE_MATH_H_
