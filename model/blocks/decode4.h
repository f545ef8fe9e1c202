// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/bits.h"

namespace mxe::blocks {

/// mxe_decode4: magnitude of a 4-bit element in units of its lsb: 1/2 (E2M1: 6.0 gives 12) or 1/4.
struct Decode4 {
  uint32_t mag_o = 0;

  /// `code`: 3 bits, without the sign. `man2`: the format has two mantissa bits.
  void evaluate(uint32_t code, bool man2) {
    const uint32_t last = code & 1;
    if (man2) {
      mag_o = code;
      return;
    }
    switch (code >> 1) {
      case 0:
        mag_o = last;
        break;
      case 1:
        mag_o = 2 | last;
        break;
      case 2:
        mag_o = 4 | last << 1;
        break;
      default:
        mag_o = 8 | last << 2;
    }
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "mag_o", 4, mag_o);
  }
};

}  // namespace mxe::blocks
