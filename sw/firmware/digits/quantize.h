// SPDX-License-Identifier: Apache-2.0
#ifndef DIGITS_QUANTIZE_H_
#define DIGITS_QUANTIZE_H_

#include <stdint.h>

/// Quantizes a row of `count` FP32 bit patterns, `step` apart, to mxfp8_e4m3 with the rule floor.
/// All of them have to be finite.
void quantize_row(const uint32_t* values, uint32_t count, uint32_t step, uint8_t* elements,
                  uint8_t* scales);

#endif  // DIGITS_QUANTIZE_H_
