// SPDX-License-Identifier: Apache-2.0
// "Section" is that of the OCP Microscaling Formats (MX) Specification, version 1.0. Every double
// below is exact: a float32 has 24 significant bits, and the divisors are powers of two.
#include "model/numerics/block/quantize_block.h"

#include <algorithm>
#include <cmath>

#include "model/numerics/formats/encode.h"

namespace mxe::numerics {
namespace {

// Section 6.3, step 1: the scale is the largest power of two not above amax, divided by the largest
// power of two that is an element (2^emax). Example: amax 3, E2M1 (emax 2): 2^(1 - 2).
// The standard recommends this rule, `floor`, and allows others.
int scale_exponent(double amax, const ElementFormat& format, ScaleRule rule) {
  const int log2 = std::ilogb(amax);
  switch (rule) {
    case ScaleRule::floor:
      break;
    case ScaleRule::ceil:
      return (amax > std::ldexp(1.0, log2) ? log2 + 1 : log2) - format.emax;
    case ScaleRule::even: {  // amax with the element's mantissa bits, rounded half up
      const double step = std::ldexp(1.0, log2 - format.mantissa_bits);
      return std::ilogb(std::floor(amax / step + 0.5) * step) - format.emax;
    }
    case ScaleRule::rceil: {  // the smallest scale with which amax does not saturate
      int exponent = log2 - format.emax;
      while (std::ldexp(amax, -exponent) > format.max) exponent++;
      return exponent;
    }
  }
  return log2 - format.emax;
}

}  // namespace

// Sections 5.3.1 to 5.3.4: elements are rounded to nearest, ties to even; subnormal elements are
// numbers as others. Section 6.3, step 2: what exceeds the largest element becomes the largest.
uint32_t nearest_code(const ElementFormat& format, double quotient, Rounding rounding,
                      uint64_t random) {
  const double magnitude = std::fabs(quotient);
  uint32_t code = 0;  // of the largest element not above the magnitude; values rise with codes
  for (uint32_t bit = format.sign_mask() >> 1; bit != 0; bit >>= 1) {
    const uint32_t larger = code | bit;
    if (larger <= format.max_code && format.decode(larger) <= magnitude) code = larger;
  }
  if (code == format.max_code) return code;
  const double below = format.decode(code), above = format.decode(code + 1);
  const double part = (magnitude - below) / (above - below);  // 0 <= part < 1
  // Without mantissa bits (e2m0) every number except 0 has the significand 1: its ties go up (IEEE
  // 754-2019, 4.3.1).
  const bool is_odd = code % 2 == 1 || (format.mantissa_bits == 0 && code != 0);
  bool up = false;
  switch (rounding) {
    case Rounding::nearest_even:
    case Rounding::nearest_even_float32:
      up = part > 0.5 || (part == 0.5 && is_odd);
      break;
    case Rounding::nearest_away:
    case Rounding::nearest_away_float32:
      up = part >= 0.5;
      break;
    case Rounding::nearest_zero:
      up = part > 0.5;
      break;
    case Rounding::nearest_up:
      up = std::signbit(quotient) ? part > 0.5 : part >= 0.5;
      break;
    case Rounding::toward_zero:
      break;
    case Rounding::stochastic:
      up = static_cast<uint64_t>(std::ldexp(part, 64)) > random;
      break;
  }
  return code + (up ? 1 : 0);
}

QuantizedBlock quantize_block(const float* x, std::size_t k, const ElementFormat& format,
                              ScaleRule rule, Rounding rounding, uint64_t seed, std::size_t first) {
  // Section 5.1: a block whose scale is NaN has only NaNs, whatever its elements are: code 0 here.
  QuantizedBlock block{kNanScale, std::vector<uint16_t>(k), std::vector<float>(k, NAN)};
  float amax = 0;
  for (std::size_t i = 0; i < k; i++) {
    // Sections 5.4.1 and 6.3: E8M0 has a NaN but no infinity, and some element formats have
    // neither. The standard leaves the result open; here the block becomes NaN.
    if (!std::isfinite(x[i])) return block;
    amax = std::max(amax, std::fabs(x[i]));
  }
  // Section 5.4.1: E8M0 holds 2^-127 to 2^127 and no zero. Zeros get the smallest scale.
  const int exponent = amax == 0 ? -127 : std::clamp(scale_exponent(amax, format, rule), -127, 127);
  block.scale = static_cast<uint8_t>(exponent + 127);
  for (std::size_t i = 0; i < k; i++) {
    // Section 6.3, step 2: the quotient, rounded to an element.
    const double quotient = std::ldexp(static_cast<double>(x[i]), -exponent);
    const uint32_t code = nearest_code(format, quotient, rounding, random_bits(seed, first + i));
    // Sections 5.3.1 to 5.3.3: a sign bit, so zeros have a sign. 5.3.4: two's complement, in which
    // the smallest code, -2^(bits - 1), stays unused.
    block.codes[i] = static_cast<uint16_t>(with_sign(format, code, std::signbit(x[i])));
    // Section 5.1: the value is the product of scale and element.
    const auto value = static_cast<float>(std::ldexp(format.decode(code), exponent));
    block.values[i] = std::copysign(value, x[i]);
  }
  return block;
}

}  // namespace mxe::numerics
