// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/log2.h"

namespace mxe::numerics {
namespace {

// floor(ln(2) * 2^shift).
uint32_t ln2_shifted(int shift) {
  constexpr uint64_t kLn2 = 0xB17217F7;  // ln 2 * 2^32
  return shift < 0 ? 0 : static_cast<uint32_t>((kLn2 << shift) >> 32);
}

// Binade of |log2(x)| for x next to 2^pivot. `outward`: x is on the side where |log2(x)| > |pivot|.
int log_binade(int pivot, bool outward) {
  const uint64_t magnitude = static_cast<uint64_t>(pivot < 0 ? -pivot : pivot);
  const int binade = floor_log2(magnitude);
  const bool power_of_two = (magnitude & (magnitude - 1)) == 0;
  return power_of_two && !outward ? binade - 1 : binade;
}

}  // namespace

int floor_log2(const FloatParts& x) { return floor_log2(uint64_t{x.significand}) + x.exponent; }

int ceil_log2(const FloatParts& x) {
  return floor_log2(x) + ((x.significand & (x.significand - 1)) != 0 ? 1 : 0);
}

// The logarithm of 2^p * (1 + t) is about p + t / ln(2). It rounds to p if |t| / ln(2) is at most
// half a unit in the last place in the logarithm's binade f: |t| <= ln(2) * 2^(f - 24).

int floor_log2_float32(const FloatParts& x) {
  const int width = floor_log2(uint64_t{x.significand});
  const int floor = width + x.exponent;
  const int pivot = floor + 1;
  if (pivot == 0) return floor;
  const uint32_t distance = (uint32_t{2} << width) - x.significand;
  const int binade = log_binade(pivot, pivot < 0);
  return floor + (distance <= ln2_shifted(binade - 24 + width + 1) ? 1 : 0);
}

int ceil_log2_float32(const FloatParts& x) {
  const int width = floor_log2(uint64_t{x.significand});
  const int pivot = width + x.exponent;
  const uint32_t distance = x.significand - (uint32_t{1} << width);
  if (distance == 0) return pivot;
  if (pivot == 0) return 1;
  const int binade = log_binade(pivot, pivot > 0);
  return pivot + (distance <= ln2_shifted(binade - 24 + width) ? 0 : 1);
}

}  // namespace mxe::numerics
