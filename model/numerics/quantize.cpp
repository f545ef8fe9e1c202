#include "numerics/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/bits.h"

namespace mx {
namespace {

// Whether amax, rounded half up to `mantissa` bits below its leading one, reaches the next power of
// two.
bool rounds_to_next_binade(uint32_t significand, int width, int mantissa) {
  return width > mantissa &&
         round_shifted(significand, mantissa - width, Rounding::nearest_away) >> (mantissa + 1) !=
             0;
}

// Scale exponent of a block whose largest magnitude is amax > 0, clamped to what E8M0 holds.
int scale_exponent(FloatParts amax, const ElementFormat& format, ScaleRule rule) {
  const int width = floor_log2(uint64_t{amax.significand});
  bool up = false;
  switch (rule) {
    case ScaleRule::floor:
      break;
    case ScaleRule::ceil:
      up = (amax.significand & (amax.significand - 1)) != 0;
      break;
    case ScaleRule::even:
      up = rounds_to_next_binade(amax.significand, width, format.mantissa_bits);
      break;
    case ScaleRule::rceil:
      up = std::ldexp(amax.significand, -width) > std::ldexp(format.max, -format.emax);
      break;
  }
  const int exponent = width + amax.exponent - format.emax + (up ? 1 : 0);
  return std::clamp(exponent, -kScaleBias, kScaleBias);
}

// Quantizes up to 32 elements; returns the E8M0 code.
uint8_t quantize_block(const float* x, size_t count, const ElementFormat& format,
                       const QuantizerOptions& options, uint8_t* codes) {
  uint32_t amax = 0;
  for (size_t i = 0; i < count; ++i) amax = std::max(amax, to_bits(x[i]) & 0x7FFFFFFF);
  if (!is_finite_bits(amax)) {
    std::fill_n(codes, count, uint8_t{0});
    return kNanScale;
  }
  const int scale =
      amax == 0 ? -kScaleBias : scale_exponent(float_parts(amax), format, options.scale_rule);
  for (size_t i = 0; i < count; ++i) {
    const FloatParts parts = float_parts(to_bits(x[i]));
    const uint32_t magnitude =
        encode_magnitude(format, parts.significand, parts.exponent - scale, options.rounding);
    codes[i] = static_cast<uint8_t>(with_sign(format, magnitude, parts.negative));
  }
  return static_cast<uint8_t>(scale + kScaleBias);
}

}  // namespace

ScaleRule parse_scale_rule(std::string_view name) {
  constexpr std::pair<std::string_view, ScaleRule> kNames[] = {{"floor", ScaleRule::floor},
                                                               {"ceil", ScaleRule::ceil},
                                                               {"even", ScaleRule::even},
                                                               {"rceil", ScaleRule::rceil}};
  for (const auto& [text, rule] : kNames) {
    if (text == name) return rule;
  }
  throw Error(fmt::format("unknown scale rule '{}' (allowed: floor, ceil, even, rceil)", name));
}

MxTensor quantize_rows(const float* x, size_t rows, size_t k, FormatId format,
                       const QuantizerOptions& options) {
  MxTensor tensor;
  tensor.format = format;
  tensor.rows = rows;
  tensor.k = k;
  tensor.codes.resize(rows * k);
  const size_t columns = tensor.scale_columns();
  tensor.scales.resize(rows * columns);
  const ElementFormat& element = element_format(format);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t block = 0; block < columns; ++block) {
      const size_t begin = row * k + block * kBlockSize;
      const size_t count = std::min(kBlockSize, k - block * kBlockSize);
      tensor.scales[row * columns + block] =
          quantize_block(x + begin, count, element, options, tensor.codes.data() + begin);
    }
  }
  return tensor;
}

}  // namespace mx
