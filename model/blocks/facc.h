// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// The special value, if any, of the result of an accumulation.
enum class Special : uint8_t { none, nan, pinf, ninf };

/// mxe_facc: acc_o = RNE_fp32(acc + sum * 2^exp) with one rounding. Subnormals are kept. An exact
/// zero is +0; a negative value that underflows keeps its sign.
///
/// The addition uses a fixed-point window in units of sum's lsb: Frac fraction bits below it (the
/// lowest is sticky) and headroom for an accumulator up to Width + 1 positions above it.
/// Accumulator bits below the window set the sticky bit. An accumulator above the window passes
/// unchanged, because sum cannot change it. A negative total is normalised as one's complement;
/// rounding adds the missing one. _qN is the register at the end of stage N.
template <unsigned Width, unsigned Frac = 27, int32_t Bias = 0>
struct Facc {
  static constexpr unsigned kWindow = Width + 27 + Frac;  ///< WinW: acc_val at kMaxPlace, carry
  static constexpr unsigned kNorm = 128;                  ///< width of the left-aligned window
  static constexpr int32_t kAccOffset = 150 - Bias;
  static constexpr int32_t kPlaceOffset = static_cast<int32_t>(Frac) - kAccOffset;
  static constexpr int32_t kMaxPlace = static_cast<int32_t>(Width + 1 + Frac);
  static_assert(kWindow < kNorm);

  SignedBits sum_i = 0;
  int32_t exp_i = 0;  ///< log2 of the weight of sum's lsb, plus Bias
  bool nan_i = false, pinf_i = false, ninf_i = false;
  uint32_t acc_i = 0;  ///< binary32
  // stage 1: align
  uint32_t acc_field = 0;
  bool acc_normal = false, acc_zero = false;
  int32_t acc_exp = 0;   ///< log2 of the weight of acc_val's lsb, plus Bias
  int32_t acc_frac = 0;  ///< signed fraction, without the leading one
  int32_t acc_val = 0;
  int32_t place = 0, place_neg = 0;  ///< position of acc_val's lsb in the window
  bool too_far = false, acc_alone = false, alone_place = false, below = false;
  uint32_t up = 0, down = 0;
  int32_t acc_down = 0;
  bool acc_lost = false;
  SignedBits acc_win_q1 = 0;
  SignedBits sum_q1 = 0;
  int32_t exp_q1 = 0;
  Special spec_q1 = Special::none;
  // stage 2: add
  SignedBits total_q2 = 0;
  // stage 3: magnitude, normalised by 64; rest: sticky bit of the bits below, before complementing
  Bits mag_q3 = 0;
  bool rest_q3 = false, z64_q3 = false, sign_q3 = false;
  // stages 4 and 5: normalise by 32, 16, 8; 4, 2, 1
  uint32_t norm_q4 = 0;
  bool rest_q4 = false;
  uint32_t lz_q4 = 0;
  uint32_t lead = 0;  ///< significand, round bit
  bool rest = false;
  uint32_t zeros = 0;  ///< leading zeros; 127 for zero
  int32_t be = 0, under = 0;
  uint32_t sig_q5 = 0;  ///< significand, round bit, sticky bit
  int32_t be_q5 = 0;    ///< biased exponent of a normal result
  bool zero_q5 = false, sub_q5 = false;
  uint32_t shift_q5 = 0;
  // stage 6: round
  uint32_t shifted = 0;
  bool shifted_rest = false, inc = false;
  uint32_t next_up = 0;
  uint32_t rounded = 0;
  uint32_t be_final = 0;
  bool overflow = false;
  uint32_t acc_o = 0;

  void evaluate(SignedBits sum, int32_t exp, bool nan, bool pinf, bool ninf, uint32_t acc) {
    sum_i = sum;
    exp_i = exp;
    nan_i = nan;
    pinf_i = pinf;
    ninf_i = ninf;
    acc_i = acc;
    align();
    find_special();
    add();
    normalise();
    round();
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "sum_i", Width, sum_i);
    show(v, "exp_i", 10, exp_i);
    show(v, "nan_i", 1, uint32_t{nan_i});
    show(v, "pinf_i", 1, uint32_t{pinf_i});
    show(v, "ninf_i", 1, uint32_t{ninf_i});
    show(v, "acc_i", 32, acc_i);
    show(v, "acc_field", 8, acc_field);
    show(v, "acc_normal", 1, uint32_t{acc_normal});
    show(v, "acc_zero", 1, uint32_t{acc_zero});
    show(v, "acc_exp", 10, acc_exp);
    show(v, "acc_frac", 24, acc_frac);
    show(v, "acc_val", 25, acc_val);
    show(v, "place", 11, place);
    show(v, "place_neg", 11, place_neg);
    show(v, "too_far", 1, uint32_t{too_far});
    show(v, "acc_alone", 1, uint32_t{acc_alone});
    show(v, "alone_place", 1, uint32_t{alone_place});
    show(v, "below", 1, uint32_t{below});
    show(v, "up", 7, up);
    show(v, "down", 5, down);
    show(v, "acc_down", 25, acc_down);
    show(v, "acc_lost", 1, uint32_t{acc_lost});
    show(v, "acc_win_q1", kWindow, acc_win_q1);
    show(v, "sum_q1", Width, sum_q1);
    show(v, "exp_q1", 10, exp_q1);
    show(v, "spec_q1", 2, static_cast<uint32_t>(spec_q1));
    show(v, "total_q2", kWindow, total_q2);
    show(v, "mag_q3", 88, mag_q3);
    show(v, "rest_q3", 1, uint32_t{rest_q3});
    show(v, "z64_q3", 1, uint32_t{z64_q3});
    show(v, "sign_q3", 1, uint32_t{sign_q3});
    show(v, "norm_q4", 32, norm_q4);
    show(v, "rest_q4", 1, uint32_t{rest_q4});
    show(v, "lz_q4", 4, lz_q4);
    show(v, "lead", 25, lead);
    show(v, "rest", 1, uint32_t{rest});
    show(v, "zeros", 11, zeros);
    show(v, "be", 11, be);
    show(v, "under", 11, under);
    show(v, "sig_q5", 26, sig_q5);
    show(v, "be_q5", 11, be_q5);
    show(v, "zero_q5", 1, uint32_t{zero_q5});
    show(v, "sub_q5", 1, uint32_t{sub_q5});
    show(v, "shift_q5", 5, shift_q5);
    show(v, "shifted", 25, shifted);
    show(v, "shifted_rest", 1, uint32_t{shifted_rest});
    show(v, "inc", 1, uint32_t{inc});
    show(v, "next_up", 25, next_up);
    show(v, "rounded", 25, rounded);
    show(v, "be_final", 8, be_final);
    show(v, "overflow", 1, uint32_t{overflow});
    show(v, "acc_o", 32, acc_o);
  }

 private:
  void align() {
    const uint32_t field = slice(acc_i, 23, 8), fraction = slice(acc_i, 0, 23);
    acc_field = field;
    acc_normal = field != 0;
    acc_zero = !acc_normal && fraction == 0;
    acc_exp = static_cast<int32_t>(acc_field) - kAccOffset;
    const bool sign = acc_i >> 31 != 0;
    acc_frac = sign ? -static_cast<int32_t>(fraction) : static_cast<int32_t>(fraction);
    // The leading one of a normal number does not change the bits below it.
    acc_val = !acc_normal ? 2 * acc_frac : sign ? acc_frac - 0x80'0000 : acc_frac + 0x80'0000;

    const int32_t distance = static_cast<int32_t>(acc_field) - exp_i;
    place = sign_extend32<11>(static_cast<uint32_t>(distance + kPlaceOffset));
    place_neg = sign_extend32<11>(static_cast<uint32_t>(-distance - kPlaceOffset));
    const bool sum_zero = sum_i == 0;
    too_far = place > kMaxPlace && !acc_zero;
    acc_alone = sum_zero || too_far;

    alone_place = sum_zero || place > kMaxPlace;
    below = place < 0;
    up = slice(static_cast<uint32_t>(place), 0, 7);
    const auto far_down = static_cast<uint32_t>(place_neg);
    down = slice(far_down, 5, 6) != 0 ? 31 : slice(far_down, 0, 5);
    acc_down = acc_val >> down;
    acc_lost = (static_cast<uint32_t>(acc_val) & 0x1FFFFFF & ~(uint32_t{0x1FFFFFF} << down)) != 0;
    const auto raised = static_cast<Bits>(SignedBits{acc_val}) << (alone_place ? Frac : up);
    acc_win_q1 = below && !alone_place ? SignedBits{acc_down | int32_t{acc_lost}}
                                       : sign_extend<kWindow>(raised);
    sum_q1 = acc_alone ? 0 : sum_i;
    exp_q1 = acc_alone ? acc_exp : exp_i;
  }

  void find_special() {
    const bool acc_special = slice(acc_i, 23, 8) == 0xFF, fraction = slice(acc_i, 0, 23) != 0;
    const bool pinf = pinf_i || (acc_special && !fraction && acc_i >> 31 == 0);
    const bool ninf = ninf_i || (acc_special && !fraction && acc_i >> 31 != 0);
    const bool nan = nan_i || (acc_special && fraction) || (pinf && ninf);
    spec_q1 = nan ? Special::nan : pinf ? Special::pinf : ninf ? Special::ninf : Special::none;
  }

  void add() {
    total_q2 =
        sign_extend<kWindow>((static_cast<Bits>(sum_q1) << Frac) + static_cast<Bits>(acc_win_q1));
    sign_q3 = total_q2 < 0;
  }

  /// The RTL counts and shifts out leading zeros in steps of 64, 32, 16, ... 1. mag_q3 holds the
  /// total shifted by the multiple of 64, norm_q4 by the multiple of 8. A zero counts as 127.
  void normalise() {
    const Bits flip = sign_q3 ? ~Bits{0} : 0;
    const Bits n = static_cast<Bits>(total_q2) << (kNorm - kWindow) ^ flip;
    // Shifts ones into a complemented number and zeros into any other.
    const auto shift = [&](unsigned places) { return ((n ^ flip) << places) ^ flip; };
    const auto any_below = [&](Bits moved, unsigned bit) {
      return (moved ^ flip) << (kNorm - bit) != 0;
    };
    zeros = std::min(leading_zeros(n), kNorm - 1);
    z64_q3 = zeros >= 64;
    const Bits by_64 = shift(zeros & 64);
    mag_q3 = by_64 >> 40;
    rest_q3 = any_below(by_64, 40);
    lz_q4 = zeros >> 3;
    const Bits by_8 = shift(zeros & 120);
    norm_q4 = static_cast<uint32_t>(by_8 >> 96);
    rest_q4 = any_below(by_8, 96);
    const Bits all = shift(zeros);
    lead = static_cast<uint32_t>(all >> 103);
    rest = any_below(all, 103);
    const int32_t top = exp_q1 + static_cast<int32_t>(kWindow - 1 - Frac + 127) - Bias;
    be = sign_extend32<11>(static_cast<uint32_t>(top) - zeros);
    under = sign_extend32<11>(zeros - static_cast<uint32_t>(top - 1));
    sig_q5 = lead << 1 | uint32_t{rest};
    zero_q5 = lead >> 24 == 0;
    be_q5 = be;
    sub_q5 = under > 0;
    const auto deep = static_cast<uint32_t>(under);
    shift_q5 = under < 0 ? 0 : slice(deep, 5, 5) != 0 ? 31 : slice(deep, 0, 5);
  }

  void round() {
    // A subnormal result is first shifted right so that its lsb weighs 2^-149. If a complement has
    // only ones below the round bit, adding the missing one carries into the round bit.
    constexpr uint32_t kAll = mask32<25>(~0u);
    const uint32_t flip = sign_q3 ? kAll : 0;
    shifted = lead >> shift_q5;
    shifted_rest = rest || ((lead ^ flip) & ~(kAll << shift_q5)) != 0;
    const bool half = (shifted & 1) != 0, odd = (shifted & 2) != 0;
    inc = sign_q3 ? half || (!shifted_rest && odd) : half && (shifted_rest || odd);
    next_up = (shifted >> 1) + 1;
    rounded = inc ? next_up : shifted >> 1;
    const bool carry = rounded >> 24 != 0;
    be_final = sub_q5 ? rounded >> 23 & 1 : mask32<8>(static_cast<uint32_t>(be_q5) + carry);
    overflow = !sub_q5 && (be_q5 >= 255 || (be_q5 == 254 && carry));
    const uint32_t sign = uint32_t{sign_q3} << 31;
    switch (spec_q1) {
      case Special::nan:
        acc_o = 0x7FC00000;
        return;
      case Special::pinf:
        acc_o = 0x7F800000;
        return;
      case Special::ninf:
        acc_o = 0xFF800000;
        return;
      case Special::none:
        break;
    }
    acc_o = zero_q5    ? 0
            : overflow ? sign | 0x7F800000
                       : sign | be_final << 23 | slice(rounded, 0, 23);
  }
};

}  // namespace mxe::blocks
