// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/lane.h"

namespace mxe::blocks {

/// mxe_quad: the sum of the products of four lanes, in the two limbs of Lane.
template <unsigned LoWidth, unsigned HiWidth, unsigned LoSumWidth>
struct Quad {
  uint64_t lo_q = 0;  ///< LoSumWidth bits
  uint64_t hi_q = 0;  ///< HiWidth bits

  /// `first`: of the four lanes.
  void evaluate(const LaneRegisters<LoWidth, HiWidth>& lanes, unsigned first) {
    uint64_t lo = 0, hi = 0;
    lanes.add_four(first, lo, hi);
    lo_q = mask64<LoSumWidth>(lo);
    hi_q = mask64<HiWidth>(hi);
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "lo_q", LoSumWidth, lo_q);
    show(v, "hi_q", HiWidth, hi_q);
  }
};

}  // namespace mxe::blocks
