// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/pkg.h"

namespace mxe::blocks {

enum class Rule : uint8_t { floor, ceil, even, rceil };

/// mxe_requant_scale: applies the scale rule to the largest magnitude of a block. The E8M0 code is
/// clamped to 0 .. 254; it is 255 (NaN) if the magnitude is infinite or NaN.
struct RequantScale {
  uint32_t amax_i = 0;
  uint32_t exponent = 0;  ///< floor(log2 amax) + 127
  uint32_t frac = 0;      ///< the lowest bit is sticky
  bool tiny = false;
  uint32_t ones = 0;
  uint32_t below_half = 0, below_ones = 0;
  bool even_up = false, above_max = false, up = false;
  int32_t code = 0;
  uint32_t scale_o = 0;

  uint32_t evaluate(uint32_t amax, const FmtInfo& fmt, Rule rule) {
    amax_i = amax;
    exponent = slice(amax, 9, 8);
    // Below 2^-127 (subnormal, top fraction bit clear) every rule gives the smallest scale.
    const bool subnormal = exponent == 0;
    tiny = subnormal && (amax & 0x100) == 0;
    frac = subnormal ? slice(amax, 1, 7) << 2 | (amax & 1) : slice(amax, 0, 9);
    ones = fmt.man_bits - uint32_t{fmt.has_nan && !fmt.has_inf};
    below_half = uint32_t{0x0FF} >> fmt.man_bits;
    below_ones = uint32_t{0x1FF} >> ones;
    even_up = (frac | below_half) == 0x1FF;
    above_max = (frac | below_ones) == 0x1FF && (frac & below_ones) != 0;
    up = rounds_up(rule);
    code = sign_extend32<9>(exponent + uint32_t{up} - fmt.emax);
    scale_o = exponent == 0xFF   ? 0xFF
              : tiny || code < 0 ? 0
              : code == 0xFF     ? 0xFE
                                 : static_cast<uint32_t>(code);
    return scale_o;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "amax_i", kAmaxWidth, amax_i);
    show(v, "exponent", 8, exponent);
    show(v, "frac", 9, frac);
    show(v, "tiny", 1, uint32_t{tiny});
    show(v, "ones", 3, ones);
    show(v, "below_half", 9, below_half);
    show(v, "below_ones", 9, below_ones);
    show(v, "even_up", 1, uint32_t{even_up});
    show(v, "above_max", 1, uint32_t{above_max});
    show(v, "up", 1, uint32_t{up});
    show(v, "code", 9, code);
    show(v, "scale_o", 8, scale_o);
  }

 private:
  bool rounds_up(Rule rule) const {
    switch (rule) {
      case Rule::floor:
        return false;
      case Rule::ceil:
        return frac != 0;
      case Rule::even:
        return even_up;
      case Rule::rceil:
        break;
    }
    return above_max;
  }
};

}  // namespace mxe::blocks
