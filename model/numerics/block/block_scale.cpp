// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "model/numerics/base/bits.h"
#include "model/numerics/block/block.h"
#include "model/numerics/formats/log2.h"

namespace mxe::numerics {
namespace {

constexpr float kLargestFloat = std::numeric_limits<float>::max();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int kTopExponent = 128;  // exponent of the all-ones field

struct BlockRange {
  uint32_t amax = 0;  // float32 bits of the largest finite magnitude
  std::size_t nans = 0;
  bool infinite = false;
};

BlockRange block_range(const float* x, std::size_t count) {
  BlockRange range;
  for (std::size_t i = 0; i < count; i++) {
    const uint32_t magnitude = to_bits(x[i]) & 0x7FFFFFFF;
    if (magnitude < kInfinity) {
      range.amax = std::max(range.amax, magnitude);
    } else if (magnitude == kInfinity) {
      range.infinite = true;
    } else {
      range.nans++;
    }
  }
  return range;
}

BlockScale not_a_number(float value, const ScaleFormat& format) {
  BlockScale scale;
  scale.value = value;
  scale.code = static_cast<uint16_t>((1u << format.bits()) - 1);
  return scale;
}

// Rounds x half up to `mantissa` bits below its leading one.
FloatParts rounded_half_up(FloatParts x, int mantissa) {
  const int drop = floor_log2(uint64_t{x.significand}) - mantissa;
  if (drop > 0) {
    x.significand =
        static_cast<uint32_t>(round_shifted(x.significand, -drop, Rounding::nearest_away));
    x.exponent += drop;
  }
  return x;
}

class PowerOfTwoScale {
 public:
  explicit PowerOfTwoScale(const BlockRules& rules)
      : format_(rules.format), options_(rules.options), range_(rules.options.range()) {}

  BlockScale derive(const float* x, std::size_t count) const {
    BlockRange block = block_range(x, count);
    bool wiped = false;
    if (options_.all_nan_poisons && !block.infinite) {
      if (block.nans == count) return not_a_number(kNan, options_.scale_format);
      wiped = block.amax == 0;
    }
    if (block.nans > 0 && options_.nan != SpecialRule::ignore) return special(options_.nan, block);
    if (block.infinite && options_.inf != SpecialRule::ignore) return special(options_.inf, block);
    BlockScale scale = from_amax(block.amax);
    scale.zeros = scale.zeros || wiped;
    return scale;
  }

 private:
  BlockScale special(SpecialRule rule, const BlockRange& block) const {
    switch (rule) {
      case SpecialRule::ignore:
        return from_amax(block.amax);
      case SpecialRule::largest_float:
        return from_amax(to_bits(kLargestFloat));
      case SpecialRule::top_exponent:
        return in_range(kTopExponent - format_.emax);
      case SpecialRule::largest_scale:
        return finite(range_.max);
      case SpecialRule::infinite:
        return not_a_number(kInf, options_.scale_format);
      case SpecialRule::poison:
        break;
      case SpecialRule::lowest_scale: {
        BlockScale scale = finite(range_.min);
        scale.zeros = true;
        return scale;
      }
      case SpecialRule::smallest_scale:
        return finite(range_.min);
    }
    return not_a_number(kNan, options_.scale_format);
  }

  BlockScale finite(int exponent) const {
    BlockScale scale;
    scale.exponent = exponent;
    scale.value = static_cast<float>(pow2(exponent));
    const ScaleFormat& format = options_.scale_format;
    scale.code = static_cast<uint16_t>(
        std::clamp(exponent, format.min_exponent(), format.max_exponent()) + format.bias);
    return scale;
  }

  BlockScale in_range(int exponent) const {
    if (exponent > range_.max) {
      switch (options_.above_range) {
        case RangeRule::clamp:
          return finite(range_.max);
        case RangeRule::poison:
          return not_a_number(kNan, options_.scale_format);
        case RangeRule::infinite:
          return not_a_number(kInf, options_.scale_format);
      }
    }
    if (exponent < range_.min) return finite(options_.below_range_exponent.value_or(range_.min));
    return finite(exponent);
  }

  BlockScale from_amax(uint32_t amax) const {
    if (amax == 0 || from_bits(amax) < options_.zero_threshold) {
      if (options_.zero_exponent) return in_range(*options_.zero_exponent);
      if (options_.zero_log2) return in_range(*options_.zero_log2 - format_.emax);
      return in_range(range_.min - 1);
    }
    if (options_.scale_rule == ScaleRule::rceil) return rceil(amax);
    const std::optional<int> log2 = log2_amax(amax);
    if (!log2) return special(options_.inf, {});
    BlockScale scale = in_range(*log2 - format_.emax);
    scale.zeros = options_.flush_subnormal_blocks && *log2 < -126;
    return scale;
  }

  // Returns nullopt if rounding overflows the exponent field to Inf.
  std::optional<int> log2_amax(uint32_t amax) const {
    const bool ceil = options_.scale_rule == ScaleRule::ceil;
    const bool even = options_.scale_rule == ScaleRule::even;
    const int mantissa = options_.even_bits.value_or(format_.mantissa_bits);
    if (options_.log2 == Log2Source::field) {
      if (even) amax += uint32_t{1} << (22 - mantissa);
      if (amax >= kInfinity) return std::nullopt;
      return static_cast<int>(amax >> 23) - kScaleBias + (ceil && (amax & 0x7FFFFF) != 0 ? 1 : 0);
    }
    FloatParts parts = float_parts(amax);
    if (options_.log2 == Log2Source::exact) {
      return exact_scale_exponent(parts, format_, options_.scale_rule, options_.even_bits) +
             format_.emax;
    }
    if (even) parts = rounded_half_up(parts, mantissa);
    return ceil ? ceil_log2_float32(parts) : floor_log2_float32(parts);
  }

  BlockScale rceil(uint32_t amax) const {
    const float max = static_cast<float>(format_.max);
    float quotient = 0;
    switch (options_.quotient) {
      case Quotient::exact:
        return in_range(exact_scale_exponent(float_parts(amax), format_, ScaleRule::rceil));
      case Quotient::reciprocal:
        quotient = from_bits(amax) * (1.0f / max);
        break;
      case Quotient::division:
        quotient = from_bits(amax) / max;
        break;
    }
    if (quotient == 0) return in_range(range_.min);
    const FloatParts parts = float_parts(to_bits(quotient));
    return in_range(options_.log2 == Log2Source::float32 ? ceil_log2_float32(parts)
                                                         : ceil_log2(parts));
  }

  const ElementFormat& format_;
  const QuantizerOptions& options_;
  const ExponentRange range_;
};

// Rounds a block scale to the format: to nearest even, or up if the scale rule is ceil or rceil.
BlockScale round_scale(float exact, const ElementFormat& format, const QuantizerOptions& options) {
  if (std::isnan(exact)) return not_a_number(kNan, options.scale_format);
  const float max = static_cast<float>(format.max);
  // A cast to E4M3 gives NaN above the middle between the largest number and the next step.
  const float limit = max + static_cast<float>(std::ldexp(0.5, format.emax - format.mantissa_bits));
  if (!options.saturate_scale && exact > limit) return not_a_number(kNan, options.scale_format);
  exact = std::min(exact, max);
  BlockScale scale;
  scale.code = static_cast<uint16_t>(encode(format, exact));
  scale.value = static_cast<float>(format.decode(scale.code));
  const bool round_up =
      options.scale_rule == ScaleRule::ceil || options.scale_rule == ScaleRule::rceil;
  if (round_up && scale.value < exact) scale.code++;
  scale.value = static_cast<float>(format.decode(scale.code));
  return scale;
}

ElementFormat shifted(const ElementFormat& format, int element_shift) {
  ElementFormat result = format;
  const double factor = pow2(element_shift);
  result.lsb_exponent += element_shift;
  result.emax += element_shift;
  result.bias -= element_shift;
  result.max *= factor;
  result.min_normal *= factor;
  result.min_subnormal *= factor;
  return result;
}

void set_tensor_scale(BlockRules& rules, float array_amax) {
  const QuantizerOptions& options = rules.options;
  const double limit = options.tensor_scale_limit.value_or(rules.scale_codes.max);
  const float largest = static_cast<float>(limit * rules.format.max);
  rules.tensor_amax = array_amax;
  rules.tensor_limit = largest;
  if (options.tensor_scale) {
    rules.tensor_amax = rules.implied_amax(*options.tensor_scale);
    rules.tensor_decode = rules.tensor_encode = *options.tensor_scale;
    return;
  }
  if (options.arithmetic == ScaleArithmetic::encode_division) {
    const float encode = (1.0f / array_amax) * largest;
    rules.tensor_encode = std::isfinite(encode) ? encode : 1;
    rules.tensor_decode = rules.tensor_encode;
    return;
  }
  if (options.arithmetic != ScaleArithmetic::encode_factor &&
      options.arithmetic != ScaleArithmetic::encode_quotient) {
    rules.tensor_decode = array_amax / largest;
    return;
  }
  float encode = array_amax == 0 ? kLargestFloat : std::min(largest / array_amax, kLargestFloat);
  if (encode == 0) encode = 1;
  rules.tensor_encode = encode;
  rules.tensor_decode = 1.0f / encode;
}

}  // namespace

BlockScale real_scale(const float* x, std::size_t count, const BlockRules& rules, float factor) {
  const QuantizerOptions& options = rules.options;
  const BlockRange block = block_range(x, count);
  float amax = from_bits(block.amax);
  if (block.infinite) amax = options.inf == SpecialRule::poison ? kNan : kInf;
  if (block.nans > 0) amax = kNan;
  const float max = static_cast<float>(rules.format.max);
  float exact = 0;
  switch (options.arithmetic) {
    case ScaleArithmetic::division:
    case ScaleArithmetic::reciprocal:
      exact = amax / max;
      break;
    case ScaleArithmetic::two_reciprocals:
      exact = (amax / max) / rules.tensor_decode;
      break;
    case ScaleArithmetic::product:
      exact = amax / (max * rules.tensor_decode);
      break;
    case ScaleArithmetic::encode_factor: {
      const float encode = rules.tensor_encode * (1.0f / max);
      exact = std::isnan(amax) ? kNan : std::min(amax * encode, kLargestFloat);
      break;
    }
    case ScaleArithmetic::encode_quotient:
      exact = (amax / max) * rules.tensor_encode * factor;
      break;
    case ScaleArithmetic::normalized:
      exact = amax * factor / max;
      if (exact == 0 && options.zero_scale) exact = *options.zero_scale;
      exact = exact * (rules.tensor_limit / max) / (rules.tensor_amax / max);
      break;
    case ScaleArithmetic::encode_division:
      exact = (amax / max) * rules.tensor_encode;
      break;
  }
  const bool stands_in = options.zero_scale && options.arithmetic != ScaleArithmetic::normalized;
  if (exact == 0 && stands_in) exact = *options.zero_scale;
  if (exact < options.min_scale) exact = options.min_scale;
  const BlockScale scale = round_scale(exact, rules.scale_codes, options);
  if (options.arithmetic == ScaleArithmetic::encode_division && scale.value == 0 && stands_in) {
    return round_scale(*options.zero_scale, rules.scale_codes, options);
  }
  return scale;
}

BlockRules make_block_rules(const ElementFormat& format, const QuantizerOptions& options,
                            float array_amax) {
  BlockRules rules;
  rules.options = options;
  rules.format = shifted(format, options.element_shift);
  rules.values.resize(std::size_t{1} << format.bits);
  for (uint32_t code = 0; code < rules.values.size(); code++) {
    rules.values[code] = static_cast<float>(rules.format.decode(code));
    if (options.unsigned_zero_values && rules.values[code] == 0) rules.values[code] = 0;
  }
  const ScaleFormat& scale = options.scale_format;
  if (!scale.is_power_of_two()) {
    // make_float_format adds a sign bit; scales do not set it.
    rules.scale_codes = make_float_format(scale.name(), scale.exponent_bits, scale.mantissa_bits,
                                          scale.bias, Specials::nan_only);
    if (options.uses_tensor_scale) set_tensor_scale(rules, array_amax);
  }
  return rules;
}

int exact_scale_exponent(const FloatParts& amax, const ElementFormat& format, ScaleRule rule,
                         std::optional<int> even_bits) {
  switch (rule) {
    case ScaleRule::floor:
      break;
    case ScaleRule::ceil:
      return ceil_log2(amax) - format.emax;
    case ScaleRule::even:
      return floor_log2(rounded_half_up(amax, even_bits.value_or(format.mantissa_bits))) -
             format.emax;
    case ScaleRule::rceil: {
      const int width = floor_log2(uint64_t{amax.significand});
      const bool up = std::ldexp(amax.significand, -width) > std::ldexp(format.max, -format.emax);
      return width + amax.exponent - format.emax + (up ? 1 : 0);
    }
  }
  return floor_log2(amax) - format.emax;
}

BlockScale block_scale(const float* x, std::size_t count, const BlockRules& rules) {
  if (rules.options.four_over_six != FourOverSix::off) return four_over_six_scale(x, count, rules);
  if (!rules.options.scale_format.is_power_of_two()) return real_scale(x, count, rules, 1);
  return PowerOfTwoScale(rules).derive(x, count);
}

}  // namespace mxe::numerics
