// SPDX-License-Identifier: Apache-2.0
// What mxe_pkg says to every block of the datapath: formats, geometry, decoded lanes, and the
// rounding of results to two bytes.
#pragma once

#include <array>
#include <cstdint>

#include "model/blocks/bits.h"
#include "model/numerics/format.h"

namespace mxe::blocks {

inline constexpr unsigned kLanes = 32;         ///< LANES: elements of a block
inline constexpr unsigned kDecWidth = 13;      ///< DEC_W: bits of a decoded lane
inline constexpr unsigned kPackPosition = 20;  ///< PACK_POS: place of the odd block's products
inline constexpr unsigned kDualSumWidth = 14;  ///< DUAL_SUM_W: of one 4-bit block sum
/// EXP_BIAS: of the weight of a block's sum on its way to the accumulator; 150 - Frac of Facc
inline constexpr int32_t kExpBias = 123;
inline constexpr unsigned kAmaxWidth = 17;    ///< AMAX_W: of a magnitude, as far as scales care
inline constexpr unsigned kNarrowWidth = 18;  ///< NARROW_W: of a result, as far as elements care
inline constexpr unsigned kMaxSegmentLanes = 16;  ///< of a segment of results: 512 bits

/// What the blocks know of a format (fmt_info_t). A number is (-1)^sign * integer * 2^lsb.
struct FmtInfo {
  bool is_int = false;
  bool is4 = false;      ///< two elements share a byte of memory
  bool is6 = false;      ///< four elements share three bytes
  bool has_nan = false;  ///< the code after the largest number is NaN, or Inf if has_inf
  bool has_inf = false;
  uint32_t bits = 0;          ///< 4 bits: of a code, sign included
  uint32_t man_bits = 0;      ///< 3 bits: below the leading one
  uint32_t sign_mask = 0;     ///< 8 bits
  uint32_t mag_mask = 0;      ///< 7 bits
  uint32_t special_mask = 0;  ///< 7 bits: all set in codes that are no numbers
  uint32_t max_code = 0;      ///< 8 bits: of the largest number
  uint32_t emax = 0;          ///< 4 bits: exponent of the largest number
  uint32_t emin_neg = 0;      ///< 4 bits: exponent of the smallest normal number, negated
  int32_t lsb = 0;            ///< 6 bits, signed
};

/// The row of the table of formats.
FmtInfo fmt_info(mx::FormatId format);

/// One decoded lane (dec_t).
struct Dec {
  uint8_t grp = 0;   ///< 3 bits: radix-16 group
  uint8_t mag = 0;   ///< 8 bits; two of 4 bits at the dual rate
  uint8_t sign = 0;  ///< 2 bits: {odd block, even block or the only one}
};
/// dec_t as bits, {grp, mag, sign}.
inline uint32_t pack(const Dec& dec) {
  return uint32_t{dec.grp} << 10 | uint32_t{dec.mag} << 2 | dec.sign;
}

/// A decoded word: the fields of its lanes side by side, and what travels beside them, a bit for
/// each lane.
struct DecodedWord {
  std::array<uint8_t, kLanes> grp{}, mag{}, sign{};
  uint32_t nan = 0, inf = 0, zero = 0;
  uint32_t neg = 0;  ///< the lowest bit of each lane's sign

  Dec lane(unsigned i) const { return {grp[i], mag[i], sign[i]}; }
};

/// An operand word: an 8-bit container for each lane.
using Word = std::array<uint8_t, kLanes>;
/// Bits [128 * half + 127 : 128 * half] of a word.
inline Bits half_of(const Word& word, unsigned half) {
  Bits bits = 0;
  for (unsigned i = 16; i > 0; i--) bits = bits << 8 | word[16 * half + i - 1];
  return bits;
}

/// The upper half of a binary32 number, rounded to nearest even (to_bf16).
inline uint16_t to_bf16(uint32_t x) {
  const uint32_t up = slice(x, 15, 1) & ((slice(x, 0, 15) != 0) | slice(x, 16, 1));
  return static_cast<uint16_t>((x >> 16) + up);
}
/// A binary32 number as binary16, rounded to nearest even (to_fp16).
uint16_t to_fp16(uint32_t x);

}  // namespace mxe::blocks
