// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_lane: one multiplier. An 8x8 product is four 4x4 products; at the dual rate the low and the
/// high nibbles are elements of two blocks, and the two outer products travel packed, the odd
/// block's at bit 20. The groups move the product by multiples of four bits: by up to three of them
/// before the register (near), by multiples of sixteen bits behind it (far).
///
/// With HiWidth > 1 (LoWidth 36, HiWidth 34) the aligned product leaves in two limbs,
/// p = hi * 2^36 + lo; with HiWidth 1 it is lo alone.
///
/// The static functions are the steps of a lane. LaneRegisters takes them for 32 lanes at a time,
/// Lane for one, of which it keeps every value.
template <unsigned LoWidth, unsigned HiWidth>
struct Lane {
  static constexpr bool kTwoLimbs = HiWidth > 1;
  static constexpr unsigned kPackWidth = kPackPosition + 9;
  static constexpr unsigned kWideWidth = LoWidth + 14;  ///< of low_val, two limbs only

  /// The four products, 8 bits each.
  struct Parts {
    uint16_t ll, lh, hl, hh;
  };
  static constexpr Parts multiply(uint8_t ma, uint8_t mb) {
    const auto al = static_cast<uint16_t>(ma & 15), ah = static_cast<uint16_t>(ma >> 4);
    const auto bl = static_cast<uint16_t>(mb & 15), bh = static_cast<uint16_t>(mb >> 4);
    return {static_cast<uint16_t>(al * bl), static_cast<uint16_t>(al * bh),
            static_cast<uint16_t>(ah * bl), static_cast<uint16_t>(ah * bh)};
  }
  /// The 8x8 product, 16 bits.
  static constexpr uint16_t join(const Parts& p) {
    const auto outer = static_cast<uint16_t>(p.hh << 8 | p.ll);
    const auto inner = static_cast<uint16_t>(static_cast<uint16_t>(p.lh + p.hl) << 4);
    return static_cast<uint16_t>(outer + inner);
  }
  static constexpr int32_t negate(uint16_t mag, unsigned neg) {
    const int32_t flip = -static_cast<int32_t>(neg);
    return (static_cast<int32_t>(mag) ^ flip) - flip;
  }

  /// The two products of the dual rate, 9 bits each, and how they travel together. A negative even
  /// product borrows one from the odd product above it.
  struct Pair {
    int32_t even, odd;
    uint32_t odd_adj, bits;  // 9 and 29 bits
  };
  static constexpr Pair pack_pair(const Parts& p, unsigned neg) {
    const int32_t even = negate(p.ll, neg & 1), odd = negate(p.hh, neg >> 1 & 1);
    const uint32_t odd_adj = mask32<9>(static_cast<uint32_t>(odd) - uint32_t{even < 0});
    const uint32_t low = mask32<kPackPosition>(static_cast<uint32_t>(even));
    return {even, odd, odd_adj, odd_adj << kPackPosition | low};
  }

  /// What the groups ask for. Of two limbs, groups 0 to 8 start in the low one, 9 and above lie in
  /// the high one alone.
  struct Place {
    uint8_t grp, near, far_q;  // 4, 2 and 2 bits
    uint8_t in_hi_q, hi_far_q;
  };
  static constexpr bool in_high_limb(uint8_t grp) { return kTwoLimbs && grp >= 9; }
  static constexpr Place place(uint8_t grp) {
    const auto far = static_cast<uint8_t>(grp >> 2);
    if (!kTwoLimbs) return {grp, static_cast<uint8_t>(grp & 3), far, 0, 0};
    const auto in_hi = static_cast<uint8_t>(in_high_limb(grp));
    const auto hi_grp = static_cast<uint8_t>((grp - 9) & 7);
    const auto near = static_cast<uint8_t>((in_hi != 0 ? hi_grp : grp) & 3);
    return {grp, near, far, in_hi, static_cast<uint8_t>(hi_grp >> 2)};
  }
  static constexpr int32_t shift_near(int32_t wide, unsigned near) {
    // By 4, then by 8: shifts by constants, which compilers do for many lanes at a time.
    auto bits = static_cast<uint32_t>(wide);
    bits = (near & 1) != 0 ? bits << 4 : bits;
    bits = (near & 2) != 0 ? bits << 8 : bits;
    return sign_extend32<kPackWidth>(bits);
  }

  struct Limbs {
    int64_t low_val, high_val;  // 50 and 34 bits, two limbs only
    uint64_t lo, hi;
  };
  /// A product in the low limb has 16 bits, a sign, and 4 * 8 positions to go: none of the 50 bits
  /// is ever lost.
  static constexpr int64_t low_value(int32_t prod, unsigned positions) {
    return static_cast<int64_t>(static_cast<uint64_t>(int64_t{prod}) << positions);
  }
  static constexpr Limbs shift_far(int32_t prod, unsigned far, bool in_hi, bool hi_far) {
    const int64_t low_val = low_value(prod, 16 * far);
    const uint64_t low = mask64<LoWidth>(static_cast<uint64_t>(low_val));
    if (!kTwoLimbs) return {low_val, 0, low, 0};
    const auto product = static_cast<uint64_t>(int64_t{prod});
    const int64_t high_val = sign_extend64<HiWidth>(product << (hi_far ? 16 : 0));
    return {low_val, high_val, in_hi ? 0 : low,
            mask64<HiWidth>(static_cast<uint64_t>(in_hi ? high_val : low_val >> LoWidth))};
  }

  uint32_t neg = 0;  ///< 2 bits
  uint8_t ma = 0, mb = 0;
  Parts parts{};
  uint16_t mag = 0;
  int32_t wide = 0;  ///< 17 bits
  Pair pair{};
  Place groups{};
  int32_t wide_shifted = 0;  ///< 29 bits
  int32_t prod_q = 0;        ///< 29 bits
  Limbs out{};

  void evaluate(bool dual, const Dec& a, const Dec& b) {
    neg = static_cast<uint32_t>(a.sign ^ b.sign);
    ma = a.mag;
    mb = b.mag;
    parts = multiply(ma, mb);
    mag = join(parts);
    wide = negate(mag, neg & 1);
    pair = pack_pair(parts, neg);
    groups = place(static_cast<uint8_t>(a.grp + b.grp));
    wide_shifted = shift_near(wide, groups.near);
    prod_q = dual ? sign_extend32<kPackWidth>(pair.bits) : wide_shifted;
    out = shift_far(prod_q, groups.far_q, groups.in_hi_q != 0, groups.hi_far_q != 0);
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "neg", 2, neg);
    show(v, "ma", 8, uint32_t{ma});
    show(v, "mb", 8, uint32_t{mb});
    show(v, "grp", 4, uint32_t{groups.grp});
    show(v, "ll", 8, uint32_t{parts.ll});
    show(v, "lh", 8, uint32_t{parts.lh});
    show(v, "hl", 8, uint32_t{parts.hl});
    show(v, "hh", 8, uint32_t{parts.hh});
    show(v, "mag", 16, uint32_t{mag});
    show(v, "wide", 17, wide);
    show(v, "even", 9, pair.even);
    show(v, "odd", 9, pair.odd);
    show(v, "odd_adj", 9, pair.odd_adj);
    show(v, "packed_pair", kPackWidth, pair.bits);
    show(v, "near", 2, uint32_t{groups.near});
    show(v, "wide_shifted", kPackWidth, wide_shifted);
    show(v, "prod_q", kPackWidth, prod_q);
    show(v, "far_q", 2, uint32_t{groups.far_q});
    if constexpr (kTwoLimbs) {
      show(v, "in_hi_q", 1, uint32_t{groups.in_hi_q});
      show(v, "hi_far_q", 1, uint32_t{groups.hi_far_q});
      show(v, "low_val", kWideWidth, out.low_val);
      show(v, "high_val", HiWidth, out.high_val);
    }
    show(v, "lo_o", LoWidth, out.lo);
    show(v, "hi_o", HiWidth, out.hi);
  }
};

/// 32 lanes side by side, so that a compiler can work on many at a time. A product is moved at once
/// by what the groups ask for, which the RTL does in two steps: no bit is lost in either. Two kinds
/// of words take the steps of a lane instead: those with a product in the high limb, and those with
/// groups at the dual rate, which the pipeline holds between jobs of different formats.
template <unsigned LoWidth, unsigned HiWidth>
struct LaneRegisters {
  using OneLane = Lane<LoWidth, HiWidth>;

  std::array<int32_t, kLanes> product{};  ///< before it is moved
  std::array<uint8_t, kLanes> grp{}, positions{};
  bool dual_i = false;
  bool stepwise = false;  ///< a word of the two kinds

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b) {
    for (unsigned i = 0; i < kLanes; i++) {
      grp[i] = static_cast<uint8_t>(a.grp[i] + b.grp[i]);
      positions[i] = static_cast<uint8_t>(4 * grp[i]);
    }
    uint8_t high = 0, moved = 0;
    for (unsigned i = 0; i < kLanes; i++) {
      high = static_cast<uint8_t>(high | static_cast<uint8_t>(OneLane::in_high_limb(grp[i])));
      moved = static_cast<uint8_t>(moved | grp[i]);
    }
    dual_i = dual;
    stepwise = high != 0 || (dual && moved != 0);
    dual ? multiply_pairs(a, b) : multiply(a, b);
  }
  /// Adds up the limbs of four lanes from lane `first` on; of the sums, only the bits of their
  /// widths mean something.
  void add_four(unsigned first, uint64_t& lo, uint64_t& hi) const {
    if (stepwise) {
      add_limbs(first, lo, hi);
      return;
    }
    // The high limbs are added up apart; what they do not hold of the sum is in the low ones.
    int64_t sum = 0, high = 0;
    for (unsigned i = first; i < first + 4; i++) {
      const int64_t low_val = OneLane::low_value(product[i], positions[i]);
      sum += low_val;
      if (OneLane::kTwoLimbs) high += low_val >> LoWidth;
    }
    hi = static_cast<uint64_t>(high);
    lo = static_cast<uint64_t>(sum) - (OneLane::kTwoLimbs ? hi << LoWidth : 0);
  }

 private:
  void multiply(const DecodedWord& a, const DecodedWord& b) {
    std::array<uint16_t, kLanes> mag;
    for (unsigned i = 0; i < kLanes; i++) {
      mag[i] = OneLane::join(OneLane::multiply(a.mag[i], b.mag[i]));
    }
    for (unsigned i = 0; i < kLanes; i++) {
      product[i] = OneLane::negate(mag[i], (a.sign[i] ^ b.sign[i]) & 1u);
    }
  }
  /// The groups of 4-bit elements are 0: their products are not moved.
  void multiply_pairs(const DecodedWord& a, const DecodedWord& b) {
    for (unsigned i = 0; i < kLanes; i++) {
      const auto parts = OneLane::multiply(a.mag[i], b.mag[i]);
      const auto neg = static_cast<unsigned>(a.sign[i] ^ b.sign[i]);
      product[i] = sign_extend32<OneLane::kPackWidth>(OneLane::pack_pair(parts, neg).bits);
    }
  }
  void add_limbs(unsigned first, uint64_t& lo, uint64_t& hi) const {
    lo = hi = 0;
    for (unsigned i = first; i < first + 4; i++) {
      const auto groups = OneLane::place(grp[i]);
      const int32_t prod_q = OneLane::shift_near(product[i], dual_i ? 0 : groups.near);
      const auto limbs =
          OneLane::shift_far(prod_q, groups.far_q, groups.in_hi_q != 0, groups.hi_far_q != 0);
      lo += limbs.lo;
      hi += limbs.hi;
    }
  }
};

}  // namespace mxe::blocks
