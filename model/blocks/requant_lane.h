// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_requant_lane: converts a result to an element code, x / 2^(scale - 127) rounded to nearest
/// even. Values that round beyond the largest element become the largest, NaN or infinity. All
/// codes of a block with a NaN scale are 0. _qN is the register at the end of stage N.
struct RequantLane {
  uint32_t x_i = 0;  ///< output of Narrow
  uint32_t scale_i = 0;
  // leading one
  bool zero = false;
  uint32_t sig_q1 = 0;
  int32_t exp_q1 = 0;  ///< floor(log2 |x|) + 127
  bool more_q1 = false, sign_q1 = false;
  // place
  int32_t rise = 0;  ///< binades above the smallest normal one
  uint32_t drop = 0, right = 0;
  uint32_t right_q2 = 0;  ///< 0 to 8
  uint32_t base_q2 = 0;   ///< code of the binade's first number, minus its leading one
  bool nan_q2 = false;
  // shift
  uint32_t wide = 0;
  uint32_t num_q3 = 0;
  bool half_q3 = false, sticky_q3 = false;
  // round
  uint32_t code_q4 = 0;
  bool over = false;
  uint32_t mag = 0;
  uint32_t code_o = 0;
  bool over_o = false;

  /// `x`: output of Narrow. `special`: overflow gives NaN or infinity instead of the largest.
  void evaluate(uint32_t x, uint32_t scale, const FmtInfo& fmt, bool special) {
    x_i = x;
    scale_i = scale;
    leading_one();
    place(fmt);
    shift();
    round(fmt, special);
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "x_i", kNarrowWidth, x_i);
    show(v, "scale_i", 8, scale_i);
    show(v, "zero", 1, uint32_t{zero});
    show(v, "sig_q1", 8, sig_q1);
    show(v, "exp_q1", 9, exp_q1);
    show(v, "more_q1", 1, uint32_t{more_q1});
    show(v, "sign_q1", 1, uint32_t{sign_q1});
    show(v, "rise", 11, rise);
    show(v, "drop", 4, drop);
    show(v, "right", 5, right);
    show(v, "right_q2", 4, right_q2);
    show(v, "base_q2", 8, base_q2);
    show(v, "nan_q2", 1, uint32_t{nan_q2});
    show(v, "wide", 16, wide);
    show(v, "num_q3", 7, num_q3);
    show(v, "half_q3", 1, uint32_t{half_q3});
    show(v, "sticky_q3", 1, uint32_t{sticky_q3});
    show(v, "code_q4", 8, code_q4);
    show(v, "over", 1, uint32_t{over});
    show(v, "mag", 8, mag);
    show(v, "code_o", 8, code_o);
    show(v, "over_o", 1, uint32_t{over_o});
  }

 private:
  /// Every number except zero, whose exponent is -30, has a leading one.
  void leading_one() {
    exp_q1 = sign_extend32<9>(slice(x_i, 8, 9));
    zero = exp_q1 < 0 && slice(x_i, 11, 2) == 0;
    sig_q1 = uint32_t{!zero} << 7 | slice(x_i, 1, 7);
    more_q1 = (x_i & 1) != 0;
    sign_q1 = x_i >> (kNarrowWidth - 1) != 0;
  }
  void place(const FmtInfo& fmt) {
    rise = exp_q1 - static_cast<int32_t>(scale_i) + static_cast<int32_t>(fmt.emin_neg);
    const bool under = rise < 0;
    drop = rise < -8 ? 8 : mask32<4>(0 - static_cast<uint32_t>(rise));
    right = mask32<5>(6 - fmt.man_bits + (under ? drop : 0));
    right_q2 = right > 8 ? 8 : right;
    base_q2 = under ? 0 : mask32<8>(static_cast<uint32_t>(rise) << fmt.man_bits);
    nan_q2 = scale_i == 0xFF;
  }
  /// The upper 7 bits are the number, the next one is the round bit.
  void shift() {
    wide = sig_q1 << 8 >> right_q2;
    num_q3 = slice(wide, 9, 7);
    half_q3 = slice(wide, 8, 1) != 0;
    sticky_q3 = slice(wide, 0, 8) != 0 || more_q1;
  }
  /// A carry into the next binade gives its first code.
  void round(const FmtInfo& fmt, bool special) {
    const bool up = half_q3 && (sticky_q3 || (num_q3 & 1) != 0);
    code_q4 = mask32<8>(base_q2 + num_q3 + uint32_t{up});
    over = code_q4 > fmt.max_code;
    mag = over ? mask32<8>(fmt.max_code + uint32_t{special && fmt.has_nan}) : code_q4;
    over_o = over && !nan_q2;
    if (nan_q2) {
      code_o = 0;
    } else if (fmt.is_int) {
      code_o = sign_q1 ? mask32<8>(0 - mag) : mag;
    } else {
      code_o = mag | (sign_q1 ? fmt.sign_mask : 0);
    }
  }
};

}  // namespace mxe::blocks
