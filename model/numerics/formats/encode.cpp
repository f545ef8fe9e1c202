// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/random.h"
#include "model/numerics/formats/log2.h"

namespace mxe::numerics {

Rounding parse_rounding(std::string_view name) {
  constexpr std::pair<std::string_view, Rounding> kNames[] = {
      {"rne", Rounding::nearest_even},  {"away", Rounding::nearest_away},
      {"down", Rounding::nearest_zero}, {"up", Rounding::nearest_up},
      {"trunc", Rounding::toward_zero}, {"stochastic", Rounding::stochastic}};
  for (const auto& [text, rounding] : kNames) {
    if (text == name) return rounding;
  }
  throw Error(
      fmt::format("unknown rounding '{}' (allowed: rne, away, down, up, trunc, stochastic)", name));
}

uint64_t random_bits(uint64_t seed, uint64_t index) { return mxe::mix64(mxe::mix64(seed) + index); }

namespace {

uint64_t round_stochastic(uint64_t significand, int drop, uint64_t random) {
  // The dropped part as a fraction of 2^64; lower bits are ignored.
  const uint64_t kept = drop > 63 ? 0 : significand >> drop;
  uint64_t fraction = 0;
  if (drop <= 64) {
    fraction = significand << (64 - drop);
  } else if (drop < 128) {
    fraction = significand >> (drop - 64);
  }
  return kept + (fraction > random ? 1 : 0);
}

}  // namespace

uint64_t round_shifted(uint64_t significand, int shift, Rounding rounding, uint64_t random) {
  if (shift >= 0) return significand << shift;
  const int drop = -shift;
  if (rounding == Rounding::stochastic) return round_stochastic(significand, drop, random);
  if (drop > 63) return 0;  // below a quarter for every significand < 2^62
  const uint64_t kept = significand >> drop;
  const uint64_t rest = significand & ((uint64_t{1} << drop) - 1);
  const uint64_t half = uint64_t{1} << (drop - 1);
  // 0.5 - 2^-25: adding 0.5 in float32 gives a tie that rounds to 1.
  const bool rounds_like_half = drop == 25 && significand == 0xFFFFFF;
  bool up = false;
  switch (rounding) {
    case Rounding::nearest_even_float32:
      up = rounds_like_half || rest > half || (rest == half && (kept & 1) != 0);
      break;
    case Rounding::nearest_even:
      up = rest > half || (rest == half && (kept & 1) != 0);
      break;
    case Rounding::nearest_away_float32:
      up = rounds_like_half || rest >= half;
      break;
    case Rounding::nearest_away:
    case Rounding::nearest_up:
      up = rest >= half;
      break;
    case Rounding::nearest_zero:
      up = rest > half;
      break;
    case Rounding::toward_zero:
    case Rounding::stochastic:
      break;
  }
  return kept + (up ? 1 : 0);
}

namespace {

// floor(log2f(value)) of a scaled element. Has no effect on subnormal elements.
int element_log2_float32(uint64_t significand, int exponent) {
  return floor_log2_float32({false, static_cast<uint32_t>(significand), exponent});
}

}  // namespace

uint32_t encode_magnitude(const ElementFormat& format, uint64_t significand, int exponent,
                          Rounding rounding, uint32_t limit, bool float32_log2, uint64_t random) {
  if (significand == 0) return 0;
  // log2 of the weight of the last kept bit: fixed for integers and subnormals, else mantissa_bits
  // below the leading one. Adding `rounded` to the binade's code handles a carry.
  int lsb = format.lsb_exponent;
  if (format.kind == FormatKind::floating) {
    const int log2 = float32_log2 ? element_log2_float32(significand, exponent)
                                  : floor_log2(significand) + exponent;
    lsb = std::max(lsb, log2 - format.mantissa_bits);
  }
  uint64_t binade = static_cast<uint64_t>(lsb - format.lsb_exponent);
  if (binade > uint64_t{1} << format.exponent_bits || exponent - lsb > 20) return limit;
  uint64_t rounded = round_shifted(significand, exponent - lsb, rounding, random);
  if (binade > 0 && rounded < uint64_t{1} << format.mantissa_bits) {
    // log2f was one too high and rounding did not carry: use the binade below.
    rounded *= 2;
    binade--;
  }
  const uint64_t code = (binade << format.mantissa_bits) + rounded;
  return static_cast<uint32_t>(std::min<uint64_t>(code, limit));
}

uint32_t encode_magnitude(const ElementFormat& format, uint64_t significand, int exponent,
                          Rounding rounding) {
  return encode_magnitude(format, significand, exponent, rounding, format.max_code, false);
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
  if (rounding == Rounding::nearest_up && parts.negative) rounding = Rounding::nearest_zero;
  return with_sign(format, encode_magnitude(format, parts.significand, parts.exponent, rounding),
                   parts.negative);
}

}  // namespace mxe::numerics
