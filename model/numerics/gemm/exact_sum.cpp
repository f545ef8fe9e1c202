// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/gemm/exact_sum.h"

#include "model/numerics/gemm/accumulate.h"

namespace mxe::numerics {

void ExactSum::add(Int128 value, int exponent) {
  const unsigned shift = static_cast<unsigned>(exponent - kMinExponent);
  const std::size_t first = shift / 64;
  const unsigned bit = shift % 64;
  // Sign-extends the value to whole limbs, shifted left by `bit`.
  const uint64_t sign = value < 0 ? ~uint64_t{0} : 0;
  const uint64_t low = static_cast<uint64_t>(value);
  const uint64_t high = static_cast<uint64_t>(static_cast<UInt128>(value) >> 64);
  auto shifted = [bit](uint64_t upper, uint64_t lower) {
    return bit == 0 ? upper : (upper << bit) | (lower >> (64 - bit));
  };
  uint64_t carry = 0;
  for (std::size_t i = first; i < kLimbs; i++) {
    uint64_t term = sign;
    if (i == first) term = low << bit;
    if (i == first + 1) term = shifted(high, low);
    if (i == first + 2) term = shifted(sign, high);
    const UInt128 sum = static_cast<UInt128>(limbs_[i]) + term + carry;
    limbs_[i] = static_cast<uint64_t>(sum);
    carry = static_cast<uint64_t>(sum >> 64);
  }
}

uint32_t ExactSum::to_float() const {
  const bool negative = (limbs_[kLimbs - 1] >> 63) != 0;
  std::array<uint64_t, kLimbs> magnitude = limbs_;
  if (negative) {
    uint64_t carry = 1;
    for (uint64_t& limb : magnitude) {
      limb = ~limb + carry;
      carry = carry != 0 && limb == 0 ? 1 : 0;
    }
  }
  int top = static_cast<int>(kLimbs) - 1;
  while (top >= 0 && magnitude[static_cast<std::size_t>(top)] == 0) top--;
  if (top < 0) return 0;
  // The two highest limbs and a sticky bit for the rest decide the rounding.
  const std::size_t t = static_cast<std::size_t>(top);
  UInt128 value = static_cast<UInt128>(magnitude[t]) << 60;
  if (t > 0) value |= magnitude[t - 1] >> 4;
  bool sticky = t > 0 && (magnitude[t - 1] & 0xF) != 0;
  for (std::size_t i = 0; i + 1 < t; i++) sticky = sticky || magnitude[i] != 0;
  value |= sticky ? 1 : 0;
  const Int128 rounded = negative ? -static_cast<Int128>(value) : static_cast<Int128>(value);
  return round_to_float(rounded, kMinExponent + 64 * top - 60);
}

}  // namespace mxe::numerics
