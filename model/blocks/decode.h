// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/decode4.h"
#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_decode: decodes an 8-bit container to sign, 8-bit magnitude and radix-16 group; value =
/// (-1)^sign * mag * 16^grp * 2^lsb. At the dual rate the container holds two 4-bit elements, the
/// even block's in the low nibble, and mag holds 4 bits of each.
struct Decode {
  uint32_t code_i = 0;
  bool sign = false;
  uint32_t code = 0, exponent = 0;  ///< code without sign; exponent field
  uint32_t man = 0, sig = 0;        ///< mantissa without and with its hidden bit
  bool special = false, is_nan = false, is_inf = false;
  uint32_t binade = 0;  ///< exponent - 1; 0 for subnormals
  uint32_t fp_mag = 0, int_mag = 0;
  Decode4 hi;  ///< the odd block's element
  uint32_t mag = 0, grp = 0;
  Dec dec_o;
  bool nan_o = false, inf_o = false, zero_o = false;

  /// `keep`: {odd, even} block's element lies within K.
  void evaluate(uint32_t container, const FmtInfo& fmt, bool dual, uint32_t keep) {
    code_i = container;
    sign = (code_i & fmt.sign_mask & 0xA8) != 0;
    code = (code_i & fmt.mag_mask & 0x78) | (code_i & 7);
    split(fmt.man_bits & 3);
    special = fmt.has_nan && (code_i & 0x7C) == 0x7C && ((code_i | ~fmt.special_mask) & 3) == 3;
    is_inf = special && fmt.has_inf && man == 0;
    is_nan = special && !is_inf;
    binade = exponent == 0 ? 0 : exponent - 1;
    fp_mag = mask32<8>(sig << (binade & 3));
    int_mag = (code_i & 0x80) != 0 ? mask32<8>(0 - code_i) : code_i;
    hi.evaluate(slice(code_i, 4, 3), (fmt.man_bits & 2) != 0);
    const bool keep_even = (keep & 1) != 0, keep_odd = (keep & 2) != 0;
    grp = fmt.is_int ? 0 : binade >> 2;
    mag = fmt.is_int ? int_mag : fp_mag;
    if (dual) mag = hi.mag_o << 4 | (mag & 0x0F);
    if (!keep_even) mag &= 0xF0;
    if (!(dual ? keep_odd : keep_even)) mag &= 0x0F;
    dec_o.grp = static_cast<uint8_t>(grp);
    dec_o.mag = static_cast<uint8_t>(mag);
    dec_o.sign = static_cast<uint8_t>((fmt.is4 && (code_i & 0x80) != 0 ? 2u : 0u) | sign);
    nan_o = is_nan && keep_even;
    inf_o = is_inf && keep_even;
    zero_o = mag == 0 || !keep_even;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "code_i", 8, code_i);
    show(v, "sign", 1, uint32_t{sign});
    show(v, "code", 7, code);
    show(v, "exponent", 5, exponent);
    show(v, "man", 3, man);
    show(v, "sig", 4, sig);
    show(v, "special", 1, uint32_t{special});
    show(v, "is_nan", 1, uint32_t{is_nan});
    show(v, "is_inf", 1, uint32_t{is_inf});
    show(v, "binade", 5, binade);
    show(v, "fp_mag", 8, fp_mag);
    show(v, "int_mag", 8, int_mag);
    show_block(v, "hi", hi);
    show(v, "mag", 8, mag);
    show(v, "grp", 3, grp);
    show(v, "dec_o", kDecWidth, pack(dec_o));
    show(v, "nan_o", 1, uint32_t{nan_o});
    show(v, "inf_o", 1, uint32_t{inf_o});
    show(v, "zero_o", 1, uint32_t{zero_o});
  }

 private:
  void split(uint32_t man_bits) {
    switch (man_bits) {
      case 1:
        exponent = slice(code, 1, 5);
        man = slice(code, 0, 1);
        sig = uint32_t{exponent != 0} << 1 | man;
        break;
      case 2:
        exponent = slice(code, 2, 5);
        man = slice(code, 0, 2);
        sig = uint32_t{exponent != 0} << 2 | man;
        break;
      default:
        exponent = slice(code, 3, 4);
        man = slice(code, 0, 3);
        sig = uint32_t{exponent != 0} << 3 | man;
    }
  }
};

}  // namespace mxe::blocks
