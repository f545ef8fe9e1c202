// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/bits.h"

namespace mxe::blocks {

/// mxe_scale_e4m3: decodes a UE4M3 scale, value = sig * 2^(exp - 9). Subnormal codes keep their
/// value: 0x07 is 7 * 2^-9. Codes 0x7F and 0x80 to 0xFF are NaN.
struct ScaleE4m3 {
  uint32_t code_i = 0;
  bool normal = false;
  uint32_t exponent = 0;
  uint32_t scale_o = 0;  ///< {exp, sig}, 4 bits each; exp is at most 14
  bool nan_o = false;

  void evaluate(uint32_t code) {
    code_i = code;
    const uint32_t field = slice(code, 3, 4);
    normal = field != 0;
    exponent = normal ? field - 1 : 0;
    scale_o = exponent << 4 | uint32_t{normal} << 3 | slice(code, 0, 3);
    nan_o = slice(code, 7, 1) != 0 || slice(code, 0, 7) == 0x7F;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "code_i", 8, code_i);
    show(v, "normal", 1, uint32_t{normal});
    show(v, "exponent", 4, exponent);
    show(v, "scale_o", 8, scale_o);
    show(v, "nan_o", 1, uint32_t{nan_o});
  }
};

}  // namespace mxe::blocks
