// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_narrow: reduces a binary32 result to the 18 bits that determine its element: sign, 9-bit
/// exponent, upper 7 bits of the fraction, sticky bit. Subnormals are normalised.
struct Narrow {
  uint32_t x_i = 0;
  uint32_t zeros = 0;     ///< left shift of a subnormal's significand
  uint32_t sig = 0;       ///< shifted significand of a subnormal; leading one: bit 23
  uint32_t exponent = 0;  ///< signed: floor(log2 |x|) + 127; -30 for zero
  uint32_t fraction = 0;
  uint32_t narrow_o = 0;

  uint32_t evaluate(uint32_t x) {
    x_i = x;
    normalise();
    const uint32_t field = slice(x, 23, 8);
    const bool subnormal = field == 0;
    exponent = subnormal ? mask32<9>(1 - zeros) : field;
    fraction = slice(subnormal ? sig : x, 0, 23);
    narrow_o = x >> 31 << 17 | exponent << 8 | slice(fraction, 16, 7) << 1 |
               uint32_t{slice(fraction, 0, 16) != 0};
    return narrow_o;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "x_i", 32, x_i);
    show(v, "zeros", 5, zeros);
    show(v, "sig", 24, sig);
    show(v, "exponent", 9, exponent);
    show(v, "fraction", 23, fraction);
    show(v, "narrow_o", kNarrowWidth, narrow_o);
  }

 private:
  /// The RTL shifts by 16, 8, 4, 2 and 1; a zero takes all of them, 31.
  void normalise() {
    sig = slice(x_i, 0, 23);
    zeros = sig != 0 ? leading_zeros(sig) - (128 - 24) : 31;
    sig = mask32<24>(sig << zeros);
  }
};

}  // namespace mxe::blocks
