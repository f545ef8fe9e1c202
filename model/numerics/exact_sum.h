// SPDX-License-Identifier: Apache-2.0
// An exact accumulator for sums of scaled integers of any magnitude a matrix product can reach.
#pragma once

#include <array>
#include <cstdint>

#include "model/numerics/bits.h"

namespace mx {

/// Holds the exact sum of terms value * 2^exponent, exponent >= kMinExponent, as long as it stays
/// below 2^320: 2^29 blocks of the largest elements under the largest scales.
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

}  // namespace mx
