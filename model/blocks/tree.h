// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/csa.h"
#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_tree: reduces words, and two ones per carry-save adder, to two words with the same sum
/// modulo 2^Width; with `cut`, separately from bit kPackPosition on. Each adder takes the next
/// three words of a queue and appends two.
template <unsigned Width, unsigned kWords>
struct Tree {
  static constexpr unsigned kAdders = kWords - 2;
  std::array<Bits, kWords> x_i{};
  std::array<uint32_t, kAdders> ones_i{};  ///< {odd, even}
  Bits sum_o = 0, carry_o = 0;

  void evaluate(bool cut) {
    std::array<Bits, kWords + 2 * kAdders> word{};
    for (unsigned i = 0; i < kWords; i++) word[i] = x_i[i];
    for (unsigned i = 0; i < kAdders; i++) {
      Csa<Width> csa;
      csa.evaluate(cut, ones_i[i], word[3 * i], word[3 * i + 1], word[3 * i + 2]);
      word[kWords + 2 * i] = csa.sum_o;
      word[kWords + 2 * i + 1] = csa.carry_o;
    }
    sum_o = word[3 * kAdders];
    carry_o = word[3 * kAdders + 1];
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "sum_o", Width, sum_o);
    show(v, "carry_o", Width, carry_o);
  }
};

}  // namespace mxe::blocks
