// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/float16.h"

#include "model/numerics/base/bits.h"

namespace mxe::numerics {
namespace {

constexpr uint32_t kInfinity16 = 0x7C00, kQuietNan16 = 0x7E00;
constexpr uint32_t kBiasDifference = 127 - 15;

// value / 2^count rounded to nearest even; `count` is 1 to 31. Example: (7, 1) -> 4.
uint32_t shifted_right(uint32_t value, unsigned count) {
  const uint32_t quotient = value >> count, half = uint32_t{1} << (count - 1);
  const uint32_t rest = value & (2 * half - 1);
  return quotient + (rest > half || (rest == half && (quotient & 1) != 0));
}

}  // namespace

uint16_t float16_bits(uint32_t bits) {
  if (is_nan_bits(bits)) return kQuietNan16;
  const uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7FFFFFFF;
  const uint32_t exponent = magnitude >> 23;
  uint32_t code = 0;
  if (exponent > kBiasDifference + 30) {
    code = kInfinity16;
  } else if (exponent > kBiasDifference) {
    // A carry out of the fraction gives the next binade; above the largest, infinity.
    code = shifted_right(magnitude - (kBiasDifference << 23), 13);
  } else if (exponent >= kBiasDifference - 10) {
    const uint32_t significand = (magnitude & 0x7FFFFF) | 0x800000;
    code = shifted_right(significand, kBiasDifference + 14 - exponent);
  }
  return static_cast<uint16_t>(sign | code);
}

float float16_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t field = (bits >> 10) & 0x1F;
  const uint32_t fraction = bits & 0x3FF;
  if (field == 31) return from_bits(sign | kInfinity | (fraction << 13));
  if (field != 0) return from_bits(sign | ((field + kBiasDifference) << 23) | (fraction << 13));
  // Subnormals are multiples of 2^-24, which are normal float32 numbers.
  const float magnitude = static_cast<float>(fraction) * from_bits(uint32_t{103} << 23);
  return from_bits(sign | to_bits(magnitude));
}

}  // namespace mxe::numerics
