#include "numerics/encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "numerics/bits.h"

namespace mx {

Rounding parse_rounding(std::string_view name) {
  constexpr std::pair<std::string_view, Rounding> kNames[] = {{"rne", Rounding::nearest_even},
                                                              {"away", Rounding::nearest_away},
                                                              {"down", Rounding::nearest_zero},
                                                              {"trunc", Rounding::toward_zero}};
  for (const auto& [text, rounding] : kNames) {
    if (text == name) return rounding;
  }
  throw Error(fmt::format("unknown rounding '{}' (allowed: rne, away, down, trunc)", name));
}

uint64_t round_shifted(uint64_t significand, int shift, Rounding rounding) {
  if (shift >= 0) return significand << shift;
  const int drop = -shift;
  if (drop > 63) return 0;  // below a quarter for every significand < 2^62
  const uint64_t kept = significand >> drop;
  const uint64_t rest = significand & ((uint64_t{1} << drop) - 1);
  const uint64_t half = uint64_t{1} << (drop - 1);
  bool up = false;
  switch (rounding) {
    case Rounding::nearest_even:
      up = rest > half || (rest == half && (kept & 1) != 0);
      break;
    case Rounding::nearest_away:
      up = rest >= half;
      break;
    case Rounding::nearest_zero:
      up = rest > half;
      break;
    case Rounding::toward_zero:
      break;
  }
  return kept + (up ? 1 : 0);
}

uint32_t encode_magnitude(const ElementFormat& format, uint64_t significand, int exponent,
                          Rounding rounding) {
  if (significand == 0) return 0;
  // Weight of the last kept bit: fixed for integers and subnormals, else mantissa_bits below the
  // leading one. Counting codes from there makes a carry into the next binade come out right.
  int lsb = format.lsb_exponent;
  if (format.kind == FormatKind::floating) {
    lsb = std::max(lsb, floor_log2(significand) + exponent - format.mantissa_bits);
  }
  const int binade = lsb - format.lsb_exponent;
  if (binade > 1 << format.exponent_bits || exponent - lsb > 20) return format.max_code;
  const uint64_t code = (static_cast<uint64_t>(binade) << format.mantissa_bits) +
                        round_shifted(significand, exponent - lsb, rounding);
  return static_cast<uint32_t>(std::min<uint64_t>(code, format.max_code));
}

uint32_t with_sign(const ElementFormat& format, uint32_t magnitude, bool negative) {
  if (!negative) return magnitude;
  if (format.kind == FormatKind::integer) return (~magnitude + 1) & format.code_mask();
  return magnitude | format.sign_mask();
}

uint32_t encode(const ElementFormat& format, float value, Rounding rounding) {
  const uint32_t bits = to_bits(value);
  if (is_nan_bits(bits)) {
    if (!format.has_nan) throw Error(fmt::format("format {} has no NaN", format.name));
    return format.sign_mask() - 1;
  }
  if (!is_finite_bits(bits)) {
    const uint32_t magnitude = format.max_code + (format.has_inf ? 1 : 0);
    return with_sign(format, magnitude, (bits >> 31) != 0);
  }
  const FloatParts parts = float_parts(bits);
  return with_sign(format, encode_magnitude(format, parts.significand, parts.exponent, rounding),
                   parts.negative);
}

}  // namespace mx
