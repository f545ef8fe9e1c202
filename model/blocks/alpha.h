// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/bits.h"

namespace mxe::blocks {

/// mxe_alpha: RNE_fp32(alpha * x), subnormals kept. An exact zero is +0; a product that underflows
/// keeps its sign. _qN is the register at the end of stage N.
struct Alpha {
  static constexpr int32_t kBias = 127;

  /// A binary32 number with a significand of 24 bits, also if it is subnormal.
  struct Number {
    uint32_t norm = 0;
    int32_t exp = 0;  ///< biased; a subnormal number has 0 or less
    bool sign = false, is_nan = false, is_inf = false, is_zero = false;

    explicit Number(uint32_t bits) {
      const uint32_t field = slice(bits, 23, 8), fraction = slice(bits, 0, 23);
      const uint32_t sig = uint32_t{field != 0} << 23 | fraction;
      const uint32_t zeros = sig == 0 ? 24 : static_cast<uint32_t>(__builtin_clz(sig)) - 8;
      norm = mask32<24>(sig << zeros);
      exp = static_cast<int32_t>(field) + int32_t{field == 0} - static_cast<int32_t>(zeros);
      sign = bits >> 31 != 0;
      is_nan = field == 0xFF && fraction != 0;
      is_inf = field == 0xFF && fraction == 0;
      is_zero = sig == 0;
    }
  };

  uint32_t alpha_i = 0, x_i = 0;  ///< binary32
  // stages 1 to 3: normalise, multiply, add
  uint32_t norm_q1 = 0;
  int32_t exp_q1 = 0;  ///< of the product in [1, 4), biased by 2 * 127
  bool sign_q1 = false;
  uint64_t low_q2 = 0, high_q2 = 0, product_q3 = 0;
  // stage 4: align
  bool two = false;
  uint32_t lead = 0;
  bool rest = false, lost = false;
  int32_t be = 0, under = 0;
  uint32_t shift = 0, sig_q4 = 0;
  bool rest_q4 = false, sub_q4 = false;
  // stage 5: round
  bool inc = false, overflow = false;
  uint32_t rounded = 0, be_final = 0;
  uint32_t product_o = 0;

  uint32_t evaluate(uint32_t alpha, uint32_t x) {
    alpha_i = alpha;
    x_i = x;
    const Number a(alpha), b(x);
    norm_q1 = b.norm;
    exp_q1 = a.exp + b.exp;
    sign_q1 = a.sign != b.sign;
    low_q2 = uint64_t{norm_q1} * slice(a.norm, 0, 12);
    high_q2 = uint64_t{norm_q1} * slice(a.norm, 12, 12);
    product_q3 = (high_q2 << 12) + low_q2;
    align();
    round();
    const uint32_t sign = uint32_t{sign_q1} << 31;
    if (a.is_nan || b.is_nan || (a.is_zero && b.is_inf) || (a.is_inf && b.is_zero)) {
      product_o = 0x7FC00000;
    } else if (a.is_inf || b.is_inf) {
      product_o = sign | 0x7F800000;
    } else if (a.is_zero || b.is_zero) {
      product_o = 0;
    } else {
      product_o = overflow ? sign | 0x7F800000 : sign | be_final << 23 | slice(rounded, 0, 23);
    }
    return product_o;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "alpha_i", 32, alpha_i);
    show(v, "x_i", 32, x_i);
    show(v, "norm_q1", 24, norm_q1);
    show(v, "exp_q1", 11, exp_q1);
    show(v, "sign_q1", 1, uint32_t{sign_q1});
    show(v, "low_q2", 36, Bits{low_q2});
    show(v, "high_q2", 36, Bits{high_q2});
    show(v, "product_q3", 48, Bits{product_q3});
    show(v, "two", 1, uint32_t{two});
    show(v, "lead", 25, lead);
    show(v, "rest", 1, uint32_t{rest});
    show(v, "lost", 1, uint32_t{lost});
    show(v, "be", 11, be);
    show(v, "under", 11, under);
    show(v, "shift", 5, shift);
    show(v, "sig_q4", 25, sig_q4);
    show(v, "rest_q4", 1, uint32_t{rest_q4});
    show(v, "sub_q4", 1, uint32_t{sub_q4});
    show(v, "inc", 1, uint32_t{inc});
    show(v, "rounded", 25, rounded);
    show(v, "be_final", 8, be_final);
    show(v, "overflow", 1, uint32_t{overflow});
    show(v, "product_o", 32, product_o);
  }

 private:
  void align() {
    two = product_q3 >> 47 != 0;
    lead = mask32<25>(static_cast<uint32_t>(product_q3 >> (two ? 23 : 22)));
    rest = (product_q3 & ((uint64_t{1} << (two ? 23 : 22)) - 1)) != 0;
    be = exp_q1 - kBias + int32_t{two};
    under = 1 - be;
    shift = under < 0 ? 0 : under > 31 ? 31 : static_cast<uint32_t>(under);
    sig_q4 = lead >> shift;
    lost = (lead & ~(mask32<25>(~0u) << shift)) != 0;
    rest_q4 = rest || lost;
    sub_q4 = under > 0;
  }
  void round() {
    inc = (sig_q4 & 1) != 0 && (rest_q4 || (sig_q4 & 2) != 0);
    rounded = (sig_q4 >> 1) + uint32_t{inc};
    const bool carry = rounded >> 24 != 0;
    be_final = sub_q4 ? rounded >> 23 & 1 : mask32<8>(static_cast<uint32_t>(be) + carry);
    overflow = !sub_q4 && (be >= 255 || (be == 254 && carry));
  }
};

}  // namespace mxe::blocks
