// SPDX-License-Identifier: Apache-2.0
// Rounds exact magnitudes to element codes, in integer arithmetic.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/numerics/formats/format.h"

namespace mxe::numerics {

/// Rounding of a value between two codes. Magnitudes are rounded; the sign is added afterwards.
enum class Rounding : uint8_t {
  nearest_even,  ///< ties to the even code: the default of OCP MX
  nearest_away,  ///< ties away from zero
  nearest_zero,  ///< ties toward zero
  nearest_up,    ///< ties toward +infinity
  toward_zero,
  // floor(|x| + 0.5) in float32: 0.5 - 2^-25 rounds to 1. Ties go to even or away from zero.
  nearest_even_float32,
  nearest_away_float32,
  stochastic,  ///< up with a probability equal to the dropped fraction; see random_bits
};

/// Parses rne, away, down, up, trunc or stochastic. Throws Error with the allowed names.
Rounding parse_rounding(std::string_view name);

/// Random bits of element `index` for Rounding::stochastic: mix64(mix64(seed) + index)
/// (splitmix64). They do not depend on threads or block sizes.
uint64_t random_bits(uint64_t seed, uint64_t index);

/// significand * 2^shift, > 0, rounded to an integer: (7, -1, nearest_even) -> 4. Stochastic
/// rounding rounds up if the dropped part, as a fraction of 2^64, exceeds `random`.
uint64_t round_shifted(uint64_t significand, int shift, Rounding rounding, uint64_t random = 0);

/// Magnitude code of significand * 2^exponent, significand < 2^40, saturated to max_code.
uint32_t encode_magnitude(const ElementFormat& format, uint64_t significand, int exponent,
                          Rounding rounding);

/// For presets: saturates at `limit`; with float32_log2 the binade is floor(log2f(value)) (log2.h).
uint32_t encode_magnitude(const ElementFormat& format, uint64_t significand, int exponent,
                          Rounding rounding, uint32_t limit, bool float32_log2,
                          uint64_t random = 0);

/// Adds the sign: a sign bit in floating formats (-0 exists), two's complement in integer formats.
uint32_t with_sign(const ElementFormat& format, uint32_t magnitude, bool negative);

/// NaN gives the NaN code (throws Error if there is none), Inf the Inf code or the largest value.
uint32_t encode(const ElementFormat& format, float value,
                Rounding rounding = Rounding::nearest_even);

}  // namespace mxe::numerics
