// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/scaled_block.h"

namespace mxe::blocks {

inline constexpr unsigned kScaledBlocks = 4;     ///< blocks of a step of 64 elements
inline constexpr unsigned kScaledSumWidth = 50;  ///< SCALED_SUM_W: the exact sum of a step

/// mxe_scaled_sum: the scaled blocks of one step of NVFP4. Their sum is exact in 50 bits.
struct ScaledSum {
  std::array<ScaledBlock, kScaledBlocks> block;
  unsigned blocks = kScaledBlocks;  ///< 2 without FP4_DUAL

  void evaluate(const std::array<CarrySave, kScaledBlocks>& sums, uint32_t a_scales,
                uint32_t b_scales) {
    for (unsigned i = 0; i < blocks; i++) {
      block[i].evaluate(sums[i], slice(a_scales, 8 * i, 8), slice(b_scales, 8 * i, 8));
    }
  }
  int64_t sum() const {
    int64_t sum = 0;
    for (unsigned i = 0; i < blocks; i++) sum += block[i].term_o;
    return sum;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    for (unsigned i = 0; i < kScaledBlocks; i++) show_block(v, "block", i, block[i]);
  }
};

}  // namespace mxe::blocks
