// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_scale: adds the exponents of A and B, detects NaN and infinity. lsb weight: 2^(exp_o -
/// kExpBias).
struct Scale {
  uint32_t is_nan = 0, is_inf = 0, neg = 0;  ///< bit per product
  int32_t exp_o = 0;
  bool nan_o = false, pinf_o = false, ninf_o = false;

  /// `exp_base`: scale of A - 254 + lsbA + lsbB + kExpBias. `a_nan`: the scale of A is 255.
  void evaluate(int32_t exp_base, bool a_nan, uint32_t b_scale, const DecodedWord& a,
                const DecodedWord& b) {
    is_nan = a.nan | b.nan | (a.inf & b.zero) | (a.zero & b.inf);
    is_inf = a.inf | b.inf;
    neg = a.neg ^ b.neg;
    exp_o = sign_extend32<10>(static_cast<uint32_t>(exp_base) + b_scale);
    nan_o = a_nan || b_scale == 0xFF || is_nan != 0;
    pinf_o = (is_inf & ~neg) != 0;
    ninf_o = (is_inf & neg) != 0;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "is_nan", kBlockSize, is_nan);
    show(v, "is_inf", kBlockSize, is_inf);
    show(v, "neg", kBlockSize, neg);
    show(v, "exp_o", 10, exp_o);
    show(v, "nan_o", 1, uint32_t{nan_o});
    show(v, "pinf_o", 1, uint32_t{pinf_o});
    show(v, "ninf_o", 1, uint32_t{ninf_o});
  }
};

}  // namespace mxe::blocks
