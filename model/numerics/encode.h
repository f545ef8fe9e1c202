// SPDX-License-Identifier: Apache-2.0
// Rounding an exact magnitude to an element code. Integer arithmetic only.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/numerics/format.h"

namespace mx {

/// How a value between two codes is rounded (always by magnitude, the sign is added afterwards).
enum class Rounding : uint8_t {
  nearest_even,  ///< ties to the even code: the default of OCP MX
  nearest_away,  ///< ties away from zero
  nearest_zero,  ///< ties toward zero
  nearest_up,    ///< ties toward +infinity
  toward_zero,   ///< truncation
  /// As floor(|x| + 0.5) computed in float32, where 0.5 - 2^-25 becomes 1; ties even or away.
  nearest_even_float32,
  nearest_away_float32,
  stochastic,  ///< up with the probability of the part that is cut off; see random_bits
};

/// Name on the command line (rne, away, down, up, trunc, stochastic) to rule; throws Error listing
/// the names.
Rounding parse_rounding(std::string_view name);

/// The 64 bits that decide on element `index` under Rounding::stochastic: two rounds of splitmix64,
/// mix64(mix64(seed) + index). Neither threads nor block sizes change them.
uint64_t random_bits(uint64_t seed, uint64_t index);

/// significand * 2^shift rounded to an integer; nearest_up here is for positive numbers. Stochastic
/// rounding goes up where the part cut off, as a fraction of 2^64, exceeds `random`.
uint64_t round_shifted(uint64_t significand, int shift, Rounding rounding, uint64_t random = 0);

/// Magnitude code of significand * 2^exponent (exact, significand < 2^40). Element subnormals are
/// kept; magnitudes above the largest finite value saturate to it.
uint32_t encode_magnitude(const ElementFormat& format, uint64_t significand, int exponent,
                          Rounding rounding);

/// The same with the two liberties some quantizers take: saturating at the magnitude code `limit`,
/// and, with float32_log2, taking the element's binade from a rounded log2f (log2.h).
uint32_t encode_magnitude(const ElementFormat& format, uint64_t significand, int exponent,
                          Rounding rounding, uint32_t limit, bool float32_log2,
                          uint64_t random = 0);

/// Adds the sign: sign bit for floating formats (so a negative zero exists), two's complement for
/// integers.
uint32_t with_sign(const ElementFormat& format, uint32_t magnitude, bool negative);

/// Code of a finite value: encode_magnitude and with_sign in one, for tests and scalar users.
/// NaN gives the format's NaN code, Inf its Inf or else the largest value; throws Error for NaN in
/// a format without NaN.
uint32_t encode(const ElementFormat& format, float value,
                Rounding rounding = Rounding::nearest_even);

}  // namespace mx
