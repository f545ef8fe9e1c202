// SPDX-License-Identifier: Apache-2.0
// The parts of mxe_pkg that datapath blocks share.
#pragma once

#include <array>
#include <cstdint>

#include "model/blocks/bits.h"
#include "model/numerics/formats/format.h"

namespace mxe::blocks {

inline constexpr unsigned kDecWidth = 13;      ///< DEC_W: bits of a decoded lane
inline constexpr unsigned kPackPosition = 20;  ///< PACK_POS: lsb of the odd block's products
inline constexpr unsigned kDualSumWidth = 14;  ///< DUAL_SUM_W: bits of one 4-bit block sum
/// EXP_BIAS: bias of a block sum's exponent, 150 - Frac of Facc. With it, the accumulator's
/// exponent field minus the sum's exponent is directly the alignment shift.
inline constexpr int32_t kExpBias = 123;
/// SCALED_EXP: exponent of a step of NVFP4, a sum in units of 2^-20, with that bias.
inline constexpr int32_t kScaledExp = kExpBias - 20;
inline constexpr unsigned kAmaxWidth = 17;        ///< AMAX_W: output bits of Amax
inline constexpr unsigned kNarrowWidth = 18;      ///< NARROW_W: output bits of Narrow
inline constexpr unsigned kMaxSegmentLanes = 16;  ///< results of a segment of 512 bits

/// Properties of a format (fmt_info_t). A number is (-1)^sign * integer * 2^lsb.
struct FmtInfo {
  bool is_int = false;
  bool is4 = false;      ///< two elements share a byte of memory
  bool is6 = false;      ///< four elements share three bytes
  bool has_nan = false;  ///< the code after max_code is NaN, or infinity if has_inf
  bool has_inf = false;
  uint32_t bits = 0;      ///< of a code, sign included
  uint32_t man_bits = 0;  ///< below the leading one
  uint32_t sign_mask = 0;
  uint32_t mag_mask = 0;
  uint32_t special_mask = 0;  ///< bits that are all ones in NaN and infinity
  uint32_t max_code = 0;      ///< of the largest number
  uint32_t emax = 0;          ///< exponent of the largest number
  uint32_t emin_neg = 0;      ///< exponent of the smallest normal number, negated
  int32_t lsb = 0;
};

FmtInfo fmt_info(numerics::FormatId format);

struct Dec {
  uint8_t grp = 0;   ///< 3 bits: radix-16 group
  uint8_t mag = 0;   ///< 8 bits; {odd, even} of 4 bits each at the dual rate
  uint8_t sign = 0;  ///< {odd, even}; a single element uses the even bit
};
inline uint32_t pack(const Dec& dec) {
  return uint32_t{dec.grp} << 10 | uint32_t{dec.mag} << 2 | dec.sign;
}

/// A decoded word: an array per field of Dec, and flags with one bit per lane.
struct DecodedWord {
  std::array<uint8_t, kBlockSize> grp{}, mag{}, sign{};
  uint32_t nan = 0, inf = 0, zero = 0;
  uint32_t neg = 0;  ///< even block's signs

  Dec lane(unsigned i) const { return {grp[i], mag[i], sign[i]}; }
};

using Word = std::array<uint8_t, kBlockSize>;
/// Bits [127:0] (`half` 0) or [255:128] of a word.
inline Bits half_of(const Word& word, unsigned half) {
  Bits bits = 0;
  for (unsigned i = 16; i > 0; i--) bits = bits << 8 | word[16 * half + i - 1];
  return bits;
}

inline uint16_t to_bf16(uint32_t x) {
  const uint32_t up = slice(x, 15, 1) & ((slice(x, 0, 15) != 0) | slice(x, 16, 1));
  return static_cast<uint16_t>((x >> 16) + up);
}
uint16_t to_fp16(uint32_t x);

}  // namespace mxe::blocks
