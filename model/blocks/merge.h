// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/facc.h"

namespace mxe::blocks {

/// mxe_merge: joins the two accumulator chains of the dual rate, RNE_fp32(even + odd). It uses Facc
/// with the odd chain as sum_i; exp_i is the odd chain's exponent field (1 for subnormals), hence
/// the bias of 150.
struct Merge {
  uint32_t odd_i = 0;  ///< binary32
  uint32_t sig = 0;
  int32_t val = 0;
  uint32_t field = 0;
  Facc<25, 3, 150> facc;  ///< acc_o is the sum

  uint32_t evaluate(uint32_t even, uint32_t odd) {
    odd_i = odd;
    const uint32_t exponent = slice(odd, 23, 8), fraction = slice(odd, 0, 23);
    const bool special = exponent == 0xFF, negative = odd >> 31 != 0;
    sig = uint32_t{exponent != 0} << 23 | fraction;
    val = negative ? -static_cast<int32_t>(sig) : static_cast<int32_t>(sig);
    field = exponent == 0 ? 1 : exponent;
    facc.evaluate(val, static_cast<int32_t>(field), special && fraction != 0,
                  special && fraction == 0 && !negative, special && fraction == 0 && negative,
                  even);
    return facc.acc_o;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "odd_i", 32, odd_i);
    show(v, "sig", 24, sig);
    show(v, "val", 25, val);
    show(v, "field", 8, field);
    show_block(v, "facc", facc);
  }
};

}  // namespace mxe::blocks
