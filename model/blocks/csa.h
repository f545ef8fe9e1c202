// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/bits.h"

namespace mxe::blocks {

/// mxe_csa: carry-save adder, three words to two with the same sum modulo 2^Width.
template <unsigned Width>
struct Csa {
  Bits sum_o = 0, carry_o = 0;

  void evaluate(Bits a, Bits b, Bits c) {
    sum_o = a ^ b ^ c;
    carry_o = mask<Width>(((a & b) | (c & (a ^ b))) << 1);
  }
};

}  // namespace mxe::blocks
