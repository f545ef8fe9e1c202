// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "model/numerics/base/bits.h"

namespace mxe::numerics {

/// Exact sum of terms value * 2^exponent, exponent >= kMinExponent. The sum must stay below 2^320,
/// which allows 2^29 blocks of the largest elements with the largest scales.
class ExactSum {
 public:
  static constexpr int kMinExponent = -320;

  void add(Int128 value, int exponent);
  /// RNE_fp32 of the sum as bits; an exact zero is +0.
  uint32_t to_float() const;

 private:
  static constexpr std::size_t kLimbs = 11;
  std::array<uint64_t, kLimbs> limbs_{};  // two's complement, little endian, lsb 2^kMinExponent
};

}  // namespace mxe::numerics
