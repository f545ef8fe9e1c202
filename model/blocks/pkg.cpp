// SPDX-License-Identifier: Apache-2.0
#include "model/blocks/pkg.h"

namespace mxe::blocks {

FmtInfo fmt_info(numerics::FormatId format) {
  const numerics::ElementShape& shape = numerics::element_shape(format);
  FmtInfo info;
  info.is_int = shape.kind == numerics::FormatKind::integer;
  info.has_nan = shape.has_nan;
  info.has_inf = shape.has_inf;
  info.bits = static_cast<uint32_t>(shape.bits);
  info.is4 = info.bits <= 4;
  info.is6 = info.bits > 4 && info.bits <= 6;
  info.man_bits = static_cast<uint32_t>(shape.mantissa_bits);
  info.sign_mask = shape.sign_mask();
  info.mag_mask = shape.sign_mask() - 1;
  // All ones; in a format with infinity, only the bits of the exponent.
  info.special_mask = info.mag_mask;
  if (info.has_inf) info.special_mask &= ~((uint32_t{1} << info.man_bits) - 1);
  info.max_code = shape.max_code;
  info.emax = static_cast<uint32_t>(shape.emax);
  info.emin_neg = static_cast<uint32_t>(-shape.emin());
  info.lsb = shape.lsb_exponent;
  return info;
}

uint16_t to_fp16(uint32_t x) {
  const uint32_t exponent = slice(x, 23, 8);
  const uint32_t fraction = slice(x, 0, 23);
  // `above`: exponent field of a normal result. `below`: right shift of a subnormal one, at most
  // 12.
  const uint32_t above = mask32<5>(slice(exponent, 0, 5) - 16);
  const uint32_t below = exponent >= 113   ? 0
                         : exponent <= 101 ? 12
                                           : mask32<4>(1 - slice(above, 0, 4));
  // 10 fraction bits, then the round bit, then the sticky bits.
  const uint64_t shifted = below == 0
                               ? uint64_t{fraction} << 12
                               : (uint64_t{1} << 34 | uint64_t{fraction} << 11) >> (below - 1);
  const bool half = (shifted >> 24 & 1) != 0, odd = (shifted >> 25 & 1) != 0;
  const bool rest = mask64<24>(shifted) != 0;
  uint32_t code =
      (exponent >= 113 ? above : 0) << 10 | static_cast<uint32_t>(shifted >> 25 & 0x3FF);
  code = mask32<15>(code + (half && (rest || odd)));
  if (exponent >= 143) code = 0x1Fu << 10 | (slice(x, 22, 9) == 0x1FF ? 1u : 0u) << 9;
  return static_cast<uint16_t>((x >> 31) << 15 | code);
}

}  // namespace mxe::blocks
