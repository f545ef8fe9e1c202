// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_lane: one multiplier. At the dual rate the low and the high nibbles are elements of two
/// blocks. The 8x8 product without its mixed terms then holds both products; product_o has the even
/// block's at bit 0 and the odd block's at bit 20. The radix-16 groups shift the registered product
/// left by multiples of four bits.
///
/// A negative product is a one's complement, one less than its value: ones_o is the missing one. At
/// the dual rate the two products are separate numbers, each with a missing one: {odd, even}.
template <unsigned Width>
struct Lane {
  static constexpr unsigned kPackWidth = kPackPosition + 9;

  static constexpr uint16_t multiply_low(uint8_t ma, uint8_t mb) {
    return static_cast<uint16_t>((ma & 15) * (mb & 15));
  }
  static constexpr uint16_t multiply_high(uint8_t ma, uint8_t mb) {
    return static_cast<uint16_t>((ma >> 4) * (mb >> 4));
  }
  /// The 8x8 product; at the dual rate {high, low} product.
  static constexpr uint16_t multiply(bool dual, uint8_t ma, uint8_t mb) {
    if (!dual) return static_cast<uint16_t>(ma * mb);
    return static_cast<uint16_t>(multiply_high(ma, mb) << 8 | multiply_low(ma, mb));
  }
  static constexpr int32_t negate(uint32_t mag, unsigned neg) {
    const int32_t flip = -static_cast<int32_t>(neg);
    return (static_cast<int32_t>(mag) ^ flip) - flip;
  }

  uint32_t neg = 0;
  uint8_t ma = 0, mb = 0;
  uint8_t grp = 0;
  uint16_t mag = 0;
  uint32_t near = 0, flip = 0, flipped = 0;
  Bits product_o = 0;

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
    show(v, "ones_o", 2, neg);
  }
};

/// The products of 32 lanes, in arrays that compilers vectorise, and their sum. Words that set
/// `far` or `moved` take a slower path. `moved` occurs only while the pipeline holds words of a job
/// of another format; Dot then uses DotInside.
template <unsigned Width>
struct LaneRegisters {
  using OneLane = Lane<Width>;

  std::array<int32_t, kBlockSize> product{};    ///< before the shift by its group
  std::array<uint8_t, kBlockSize> positions{};  ///< left shift of each product, in bits
  bool far = false;                             ///< the sum may exceed 64 bits
  bool moved = false;                           ///< a group is above 0 at the dual rate

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b) {
    uint8_t highest = 0;
    for (unsigned i = 0; i < kBlockSize; i++) {
      positions[i] = static_cast<uint8_t>(4 * (a.grp[i] + b.grp[i]));
      highest = static_cast<uint8_t>(highest | positions[i]);
    }
    far = highest > 40;  // the sum of 32 terms of 17 bits, shifted by 40, has 62 bits
    moved = dual && highest != 0;
    dual ? multiply_pairs(a, b) : multiply(a, b);
  }
  /// Only the lowest Width bits are valid.
  Bits sum() const {
    if (far) return static_cast<Bits>(sum_as<SignedBits>());
    return static_cast<Bits>(static_cast<SignedBits>(sum_as<int64_t>()));
  }

 private:
  template <class Number>
  Number sum_as() const {
    Number sum = 0;
    for (unsigned i = 0; i < kBlockSize; i++) {
      sum += Number{product[i]} * (Number{1} << positions[i]);
    }
    return sum;
  }
  void multiply(const DecodedWord& a, const DecodedWord& b) {
    std::array<uint16_t, kBlockSize> mag;
    for (unsigned i = 0; i < kBlockSize; i++) {
      mag[i] = static_cast<uint16_t>(a.mag[i] * b.mag[i]);
    }
    for (unsigned i = 0; i < kBlockSize; i++) {
      product[i] = OneLane::negate(mag[i], (a.sign[i] ^ b.sign[i]) & 1u);
    }
  }
  /// 4-bit elements have group 0: their products are not shifted.
  void multiply_pairs(const DecodedWord& a, const DecodedWord& b) {
    for (unsigned i = 0; i < kBlockSize; i++) {
      const auto neg = static_cast<unsigned>(a.sign[i] ^ b.sign[i]);
      const int32_t even = OneLane::negate(OneLane::multiply_low(a.mag[i], b.mag[i]), neg & 1);
      const int32_t odd = OneLane::negate(OneLane::multiply_high(a.mag[i], b.mag[i]), neg >> 1 & 1);
      product[i] = odd * (1 << kPackPosition) + even;
    }
  }
};

}  // namespace mxe::blocks
