// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_lane: one multiplier. At the dual rate the low and the high nibbles are elements of two
/// blocks: their products lie side by side in the 8x8 product without its mixed terms, and travel
/// apart, the odd block's at bit 20. The groups move the product by multiples of four bits, behind
/// the register.
///
/// A negative product leaves as one's complement, with ones in the places that alignment makes: one
/// less than it is. Negatives counts what is missing.
///
/// The static functions are the steps of a lane. LaneRegisters takes the first for 32 lanes at a
/// time, Lane all of them for one, of which it keeps every value.
template <unsigned Width>
struct Lane {
  static constexpr unsigned kPackWidth = kPackPosition + 9;

  /// The products of the two pairs of nibbles, 8 bits each.
  static constexpr uint16_t multiply_low(uint8_t ma, uint8_t mb) {
    return static_cast<uint16_t>((ma & 15) * (mb & 15));
  }
  static constexpr uint16_t multiply_high(uint8_t ma, uint8_t mb) {
    return static_cast<uint16_t>((ma >> 4) * (mb >> 4));
  }
  /// The 8x8 product, or both of these.
  static constexpr uint16_t multiply(bool dual, uint8_t ma, uint8_t mb) {
    if (!dual) return static_cast<uint16_t>(ma * mb);
    return static_cast<uint16_t>(multiply_high(ma, mb) << 8 | multiply_low(ma, mb));
  }
  static constexpr int32_t negate(uint32_t mag, unsigned neg) {
    const int32_t flip = -static_cast<int32_t>(neg);
    return (static_cast<int32_t>(mag) ^ flip) - flip;
  }

  uint32_t neg = 0;  ///< 2 bits
  uint8_t ma = 0, mb = 0;
  uint8_t grp = 0;                           ///< 4 bits
  uint16_t mag = 0;                          ///< 16 bits
  uint32_t near = 0, flip = 0, flipped = 0;  ///< 29 bits
  Bits product_o = 0;                        ///< Width bits

  void evaluate(bool dual, const Dec& a, const Dec& b) {
    neg = static_cast<uint32_t>(a.sign ^ b.sign);
    ma = a.mag;
    mb = b.mag;
    grp = static_cast<uint8_t>(a.grp + b.grp);
    mag = multiply(dual, ma, mb);
    near = dual ? (uint32_t{mag} >> 8 << kPackPosition | (mag & 0xFFu))
                : uint32_t{mag} << 4 * (grp & 3);
    const bool low = (neg & 1) != 0, high = dual ? neg >> 1 != 0 : low;
    constexpr uint32_t kLow = mask32<kPackPosition>(~0u), kAll = mask32<kPackWidth>(~0u);
    flip = (low ? kLow : 0) | (high ? kAll & ~kLow : 0);
    flipped = near ^ flip;
    const unsigned far = 16u * (grp >> 2);
    const SignedBits product = sign_extend<kPackWidth>(flipped);
    const Bits fill = high ? (Bits{1} << far) - 1 : 0;
    product_o = mask<Width>(static_cast<Bits>(product) << far | fill);
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "neg", 2, neg);
    show(v, "ma", 8, uint32_t{ma});
    show(v, "mb", 8, uint32_t{mb});
    show(v, "grp", 4, uint32_t{grp});
    show(v, "mag", 16, uint32_t{mag});
    show(v, "mag_q", 16, uint32_t{mag});
    show(v, "neg_q", 2, neg);
    show(v, "grp_q", 4, uint32_t{grp});
    show(v, "near", kPackWidth, near);
    show(v, "flip", kPackWidth, flip);
    show(v, "flipped", kPackWidth, flipped);
    show(v, "product_o", Width, product_o);
  }
};

/// 32 lanes side by side, so that a compiler can work on many at a time, and the sum of what they
/// make, in one addition each. Two kinds of words take longer: those with a product beyond 64 bits,
/// and those with groups at the dual rate, which the pipeline holds between jobs of different
/// formats, and of which one's complements and what they lack are added up.
template <unsigned Width>
struct LaneRegisters {
  using OneLane = Lane<Width>;

  std::array<int32_t, kLanes> product{};  ///< before it is moved
  std::array<uint8_t, kLanes> positions{};
  bool far = false;    ///< a product goes beyond 64 bits
  bool moved = false;  ///< by groups at the dual rate

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b) {
    uint8_t highest = 0;
    for (unsigned i = 0; i < kLanes; i++) {
      positions[i] = static_cast<uint8_t>(4 * (a.grp[i] + b.grp[i]));
      highest = static_cast<uint8_t>(highest | positions[i]);
    }
    far = highest > 40;  // 32 terms of 17 bits, 40 positions up, are 62 bits
    moved = dual && highest != 0;
    dual ? multiply_pairs(a, b) : multiply(a, b);
  }
  /// The sum of all; only its Width bits mean something.
  Bits sum() const {
    if (far) return static_cast<Bits>(sum_as<SignedBits>());
    return static_cast<Bits>(static_cast<SignedBits>(sum_as<int64_t>()));
  }

 private:
  template <class Number>
  Number sum_as() const {
    Number sum = 0;
    for (unsigned i = 0; i < kLanes; i++) {
      sum += Number{product[i]} * (Number{1} << positions[i]);
    }
    return sum;
  }
  void multiply(const DecodedWord& a, const DecodedWord& b) {
    std::array<uint16_t, kLanes> mag;
    for (unsigned i = 0; i < kLanes; i++) {
      mag[i] = static_cast<uint16_t>(a.mag[i] * b.mag[i]);
    }
    for (unsigned i = 0; i < kLanes; i++) {
      product[i] = OneLane::negate(mag[i], (a.sign[i] ^ b.sign[i]) & 1u);
    }
  }
  /// The groups of 4-bit elements are 0: their products are not moved.
  void multiply_pairs(const DecodedWord& a, const DecodedWord& b) {
    for (unsigned i = 0; i < kLanes; i++) {
      const auto neg = static_cast<unsigned>(a.sign[i] ^ b.sign[i]);
      const int32_t even = OneLane::negate(OneLane::multiply_low(a.mag[i], b.mag[i]), neg & 1);
      const int32_t odd = OneLane::negate(OneLane::multiply_high(a.mag[i], b.mag[i]), neg >> 1 & 1);
      product[i] = odd * (1 << kPackPosition) + even;
    }
  }
};

}  // namespace mxe::blocks
