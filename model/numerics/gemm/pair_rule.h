// SPDX-License-Identifier: Apache-2.0
// The order of summation for a pair of operands.
#pragma once

#include "model/numerics/formats/scaled_format.h"

namespace mxe::numerics {

/// K is summed in steps. S, the sum of a step's products with their scales, is exact; adding it to
/// the accumulator rounds once.
struct PairRule {
  unsigned step;      ///< elements of K per rounding: 16, 32 or 64
  unsigned chains;    ///< accumulators, which steps use in turn: 1 or 2
  unsigned part;      ///< elements of a step that share both scales: 16 or 32
  unsigned sum_bits;  ///< two's complement bits of S, without the exponents of E8M0 scales
};

/// `dual`: the engine has FP4_DUAL.
///
/// | pair                                        | step | chains                    |
/// |---------------------------------------------|------|---------------------------|
/// | UE4M3 or UE5M3 on both sides                | 64, without `dual` 32 | 1        |
/// | E8M0 in blocks of 16 on either side         | 16   | 1                         |
/// | UE4M3 or UE5M3 on one side                  | 32   | 1                         |
/// | E8M0 in blocks of 32, 64, 128 or no scales  | 32   | 1; `dual`, both 4-bit: 2  |
///
/// Example: NVFP4 twice with `dual`: S has 16 * 12 * 12 * (7 * 2^15)^2 * 4 < 2^49, 50 bits.
PairRule pair_rule(const ScaledFormat& a, const ScaledFormat& b, bool dual);

}  // namespace mxe::numerics
