// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/numerics/base/bits.h"

namespace mxe::numerics {

/// Rounds float32 bits to BF16 bits, ties to even. Every NaN becomes 0x7FC0.
inline uint16_t bfloat16_bits(uint32_t bits) {
  if (is_nan_bits(bits)) return static_cast<uint16_t>(kQuietNan >> 16);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

inline uint32_t widened_bits(uint16_t bfloat16) { return uint32_t{bfloat16} << 16; }

inline float round_to_bfloat16(float x) {
  return from_bits(widened_bits(bfloat16_bits(to_bits(x))));
}

std::vector<uint16_t> to_bfloat16(const float* values, std::size_t count);
std::vector<uint16_t> to_bfloat16(const std::vector<float>& values);

/// Converts `count` little-endian BF16 numbers to float32 numbers or their bits.
void widen_bfloat16(const uint8_t* bytes, std::size_t count, float* out);
void widen_bfloat16(const uint8_t* bytes, std::size_t count, uint32_t* out);

}  // namespace mxe::numerics
