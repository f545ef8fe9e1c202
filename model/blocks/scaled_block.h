// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/bits.h"

namespace mxe::blocks {

inline constexpr unsigned kBlockSumWidth = 13;  ///< the sum of 16 products of at most 12 * 12

/// A sum modulo 2^13 in carry-save form, and two more ones: {odd, even} bits that are added.
struct CarrySave {
  uint32_t sum = 0, carry = 0, ones = 0;
};

/// mxe_scaled_block: one block of 16 products of E2M1 elements, times both of its scales, in units
/// of 2^-20. Exact: at most 2304 * 225 * 2^28 in magnitude.
struct ScaledBlock {
  static constexpr unsigned kRows = 5;
  static constexpr unsigned kProductWidth = 20;
  static constexpr unsigned kTermWidth = 48;

  /// sum_q times a radix-4 Booth digit of sig_q. A negative row is a one's complement.
  struct Row {
    bool one = false, two = false, neg = false;
    uint32_t row = 0;  ///< 14 bits
  };

  CarrySave in;
  uint32_t a_scale_i = 0, b_scale_i = 0;  ///< scale_o of ScaleE4m3
  int32_t sum_q = 0;
  uint32_t sig_q = 0, exp_q = 0;
  std::array<Row, kRows> row;
  int32_t product_q = 0;
  int64_t term_o = 0;

  void evaluate(const CarrySave& block, uint32_t a_scale, uint32_t b_scale) {
    in = block;
    a_scale_i = a_scale;
    b_scale_i = b_scale;
    sum_q = sign_extend32<kBlockSumWidth>(in.sum + in.carry + slice(in.ones, 0, 1) +
                                          slice(in.ones, 1, 1));
    sig_q = slice(a_scale, 0, 4) * slice(b_scale, 0, 4);
    exp_q = slice(a_scale, 4, 4) + slice(b_scale, 4, 4);
    multiply();
    term_o = sign_extend64<kTermWidth>(static_cast<uint64_t>(int64_t{product_q}) << exp_q);
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "sum_i", kBlockSumWidth, in.sum);
    show(v, "carry_i", kBlockSumWidth, in.carry);
    show(v, "ones_i", 2, in.ones);
    show(v, "a_scale_i", 8, a_scale_i);
    show(v, "b_scale_i", 8, b_scale_i);
    show(v, "sum_q", kBlockSumWidth, sum_q);
    show(v, "sig_q", 8, sig_q);
    show(v, "exp_q", 5, exp_q);
    show(v, "product_q", kProductWidth, product_q);
    show(v, "exp_q2", 5, exp_q);
    show(v, "term_o", kTermWidth, term_o);
  }

 private:
  void multiply() {
    uint32_t total = 0;
    for (unsigned i = 0; i < kRows; i++) {
      const uint32_t digit = slice(sig_q << 1, 2 * i, 3);
      Row& r = row[i];
      r.one = (digit & 1) != (digit >> 1 & 1);
      r.two = digit == 3 || digit == 4;
      r.neg = digit >> 2 != 0;
      const int32_t multiple = r.one ? sum_q : r.two ? 2 * sum_q : 0;
      r.row = slice(static_cast<uint32_t>(r.neg ? ~multiple : multiple), 0, 14);
      const auto value = static_cast<uint32_t>(sign_extend32<14>(r.row));
      total += (value + uint32_t{r.neg}) << 2 * i;
    }
    product_q = sign_extend32<kProductWidth>(total);
  }
};

}  // namespace mxe::blocks
