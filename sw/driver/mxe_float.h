// SPDX-License-Identifier: Apache-2.0
/// @file
/// FP32 arithmetic in integers for the steps between the products of a transformer layer: sums and
/// softmax. Every processor computes the same bits. Numbers are FP32 bits; pointers may point to
/// float or uint32_t. Every NaN result is 0x7FC00000. Freestanding, as mxe_math.h.
#ifndef MXE_FLOAT_H_
#define MXE_FLOAT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// x + y and x * y as in IEEE 754, rounded to nearest even, with subnormals.
uint32_t mxe_add(uint32_t x, uint32_t y);
uint32_t mxe_multiply(uint32_t x, uint32_t y);

/// e^x, with an error below 0.75 units in the last place and with subnormals; exactly 1 for x = 0.
uint32_t mxe_exp(uint32_t x);

/// sum[i] = x[i] + y[i], for a bias or a residual; `sum` may be x or y.
void mxe_add_rows(const void* x, const void* y, size_t count, void* sum);

/// Softmax of a row of attention: weights[i] = e^(t[i] - max t) / sum over j of e^(t[j] - max t)
/// with t[i] = scale * scores[i]. `scale` is FP32 bits. `weights` may be `scores`. A score of
/// -infinity is masked: its weight is 0.
///
/// t[i] and t[i] - max t are rounded to FP32. The remaining relative error is below 2^-22 for rows
/// of up to 32768 scores and for weights that are not subnormal. The sum omits each t[i]
/// more than 27.7 below the maximum (e^-27.7 is about 2^-40).
///
/// A NaN, a t[i] of +infinity, or a row with all scores masked makes every weight NaN.
void mxe_softmax(const void* scores, size_t count, uint32_t scale, void* weights);

#ifdef __cplusplus
}
#endif

#endif  // MXE_FLOAT_H_
