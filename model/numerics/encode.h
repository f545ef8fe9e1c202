// Rounding an exact magnitude to an element code. Integer arithmetic only.
#pragma once

#include <cstdint>
#include <string_view>

#include "numerics/format.h"

namespace mx {

// How a value between two codes is rounded (always by magnitude, the sign is added afterwards).
enum class Rounding : uint8_t {
  nearest_even,  // ties to the even code: the default of OCP MX
  nearest_away,  // ties away from zero
  nearest_zero,  // ties toward zero
  toward_zero,   // truncation
};

// Name on the command line (rne, away, down, trunc) to rule; throws Error listing the names.
Rounding parse_rounding(std::string_view name);

// significand * 2^shift rounded to an integer.
uint64_t round_shifted(uint64_t significand, int shift, Rounding rounding);

// Magnitude code of significand * 2^exponent (exact, significand < 2^40). Element subnormals are
// kept; magnitudes above the largest finite value saturate to it.
uint32_t encode_magnitude(const ElementFormat& format, uint64_t significand, int exponent,
                          Rounding rounding);

// Adds the sign: sign bit for floating formats (so a negative zero exists), two's complement for
// integers.
uint32_t with_sign(const ElementFormat& format, uint32_t magnitude, bool negative);

// Code of a finite value: encode_magnitude and with_sign in one, for tests and scalar users.
// NaN gives the format's NaN code, Inf its Inf or else the largest value; throws Error for NaN in a
// format without NaN.
uint32_t encode(const ElementFormat& format, float value,
                Rounding rounding = Rounding::nearest_even);

}  // namespace mx
