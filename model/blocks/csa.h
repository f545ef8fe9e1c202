// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_csa: carry-save adder, three words to two with the same sum modulo 2^Width, plus a 1 in the
/// free lowest bit of the carry word (`ones` bit 0). With `cut`, the numbers from bit kPackPosition
/// on are added separately, plus bit 1 of `ones`.
template <unsigned Width>
struct Csa {
  Bits sum_o = 0, carry_o = 0;

  void evaluate(bool cut, uint32_t ones, Bits a, Bits b, Bits c) {
    constexpr Bits kCut = Bits{1} << kPackPosition;
    sum_o = a ^ b ^ c;
    carry_o = mask<Width>(((a & b) | (c & (a ^ b))) << 1 | (ones & 1));
    if (cut) carry_o = (carry_o & ~kCut) | (slice(ones, 1, 1) != 0 ? kCut : 0);
  }
};

}  // namespace mxe::blocks
