// SPDX-License-Identifier: Apache-2.0
// BF16, the upper half of a float32: results and biases as the engine stores them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/numerics/bits.h"

namespace mx {

/// The nearest BF16 number to a float32, both as bits: ties to even, every NaN 0x7FC0.
inline uint16_t bfloat16_bits(uint32_t bits) {
  if (is_nan_bits(bits)) return static_cast<uint16_t>(kQuietNan >> 16);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// The float32 bits of a BF16 number, exact.
inline uint32_t widened_bits(uint16_t bfloat16) { return uint32_t{bfloat16} << 16; }

/// A float32 rounded to BF16.
inline float round_to_bfloat16(float x) {
  return from_bits(widened_bits(bfloat16_bits(to_bits(x))));
}

/// Rounds values[count] to the bits of BF16 numbers.
std::vector<uint16_t> to_bfloat16(const float* values, std::size_t count);
std::vector<uint16_t> to_bfloat16(const std::vector<float>& values);

/// Widens `count` BF16 numbers, two bytes each, the lower byte first, to float32 numbers or to
/// their bits.
void widen_bfloat16(const uint8_t* bytes, std::size_t count, float* out);
void widen_bfloat16(const uint8_t* bytes, std::size_t count, uint32_t* out);

}  // namespace mx
