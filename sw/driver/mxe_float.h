// SPDX-License-Identifier: Apache-2.0
/// @file
/// FP32 arithmetic in integers: what stands between the products of a transformer's layer, for
/// processors without a floating-point unit, and with the same bits on those that have one.
///
/// Numbers are the bits of FP32. A pointer to them may be one to float or to uint32_t. Every NaN
/// that comes out is 0x7FC00000. Freestanding, as mxe_math.h.
#ifndef MXE_FLOAT_H_
#define MXE_FLOAT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// x + y and x * y as IEEE 754 has them, rounded to nearest even; subnormals are kept.
uint32_t mxe_add(uint32_t x, uint32_t y);
uint32_t mxe_multiply(uint32_t x, uint32_t y);

/// e^x, less than 0.75 units of the last place from the exact value; 1 for 0, subnormals are kept.
uint32_t mxe_exp(uint32_t x);

/// sum[i] = x[i] + y[i]; `sum` may be x or y. A bias or a residual on the host.
void mxe_add_rows(const void* x, const void* y, size_t count, void* sum);

/// Softmax of a row of attention: weights[i] = e^(t[i] - max t) / sum over j of e^(t[j] - max t)
/// with t[i] = scale * scores[i], `scale` as the bits of FP32. `weights` may be `scores`. Scores of
/// -infinity are masked: their weight is 0.
///
/// t, its maximum and the differences are those of FP32 arithmetic, and what follows has a relative
/// error below 2^-22 for rows of up to 32768 scores and weights that are no subnormals. Scores that
/// are more than 27.7 below the maximum do not count in the sum.
///
/// A NaN, a t of +infinity, or a row of nothing but masked scores makes every weight NaN.
void mxe_softmax(const void* scores, size_t count, uint32_t scale, void* weights);

#ifdef __cplusplus
}
#endif

#endif  // MXE_FLOAT_H_
