// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/numerics/base/bits.h"
#include "model/numerics/block/block.h"

namespace mxe::numerics {
namespace {

struct ScaledElement {
  bool negative;
  bool nan;
  bool infinite;
  bool vanishes;  // rounds to zero in float32
  uint32_t significand;
  int exponent;
};

ScaledElement split(float value, int exponent_shift) {
  const uint32_t bits = to_bits(value);
  const FloatParts parts = float_parts(bits);
  ScaledElement element{parts.negative, is_nan_bits(bits), (bits & 0x7FFFFFFF) == kInfinity,
                        true,           parts.significand, parts.exponent - exponent_shift};
  if (element.significand != 0) {
    const int top = floor_log2(uint64_t{element.significand}) + element.exponent;
    const bool power_of_two = (element.significand & (element.significand - 1)) == 0;
    element.vanishes = top < -150 || (top == -150 && power_of_two);
  }
  return element;
}

bool zero_is_negative(ZeroSign rule, const ScaledElement& element) {
  switch (rule) {
    case ZeroSign::keep:
      return element.negative;
    case ZeroSign::value:
      return element.negative && !element.vanishes;
    case ZeroSign::positive:
      return false;
    case ZeroSign::negative:
      return element.negative || element.vanishes;
    case ZeroSign::zero_only:
      return element.negative && element.vanishes;
  }
  return false;
}

class ElementQuantizer {
 public:
  ElementQuantizer(const BlockRules& rules, const BlockScale& scale)
      : rules_(rules), format_(rules.format), options_(rules.options), scale_(scale) {
    power_of_two_ = options_.scale_format.is_power_of_two();
    const ElementExponents exponents = element_exponents(rules, scale);
    divisor_exponent_ = exponents.divisor;
    factor_ = real_factor();
    decode_factor_ = power_of_two_ && std::isfinite(scale.value)
                         ? static_cast<float>(pow2(exponents.decode))
                         : scale.value;
  }

  uint32_t quantize(float x, std::size_t index, float* dequantized) const {
    if (scale_.zeros) x = 0.0f;
    const ScaledElement element = power_of_two_ ? split(x, divisor_exponent_) : split(scaled(x), 0);
    const bool pass_through =
        (element.nan && options_.nan_elements == NanElement::pass_through) ||
        (element.infinite && options_.inf_elements == InfElement::pass_through);
    const uint32_t magnitude = pass_through ? 0 : magnitude_code(element, index);
    bool negative = element.negative;
    if (element.nan) negative = nan_is_negative();
    if (magnitude == 0) negative = !element.nan && zero_is_negative(options_.zero_sign, element);
    const uint32_t code = pass_through ? 0 : with_sign(format_, magnitude, negative);
    if (dequantized) {
      *dequantized = pass_through ? x : value_of(code, negative);
    }
    return code;
  }

  // Code of an element in a block whose scale is NaN or Inf.
  uint32_t poisoned(float x, float* dequantized) const {
    const uint32_t bits = to_bits(x);
    const uint32_t nan_code = format_.has_nan ? format_.sign_mask() - 1 : 0;
    uint32_t code = 0;
    if (options_.poison_codes == PoisonCodes::nan ||
        (options_.poison_codes == PoisonCodes::signed_zero && !is_finite_bits(bits))) {
      code = nan_code;
    } else if (options_.poison_codes == PoisonCodes::signed_zero) {
      code = format_.kind == FormatKind::floating && (bits >> 31) != 0 ? format_.sign_mask() : 0;
    }
    if (dequantized) *dequantized = from_bits(kQuietNan);
    return code;
  }

 private:
  float real_factor() const {
    constexpr float kLargestFloat = std::numeric_limits<float>::max();
    switch (options_.arithmetic) {
      case ScaleArithmetic::division:
        return scale_.value;
      case ScaleArithmetic::reciprocal:
        return 1.0f / scale_.value;
      case ScaleArithmetic::two_reciprocals:
        return (1.0f / rules_.tensor_decode) / scale_.value;
      case ScaleArithmetic::product:
      case ScaleArithmetic::normalized:
        return scale_.value * rules_.tensor_decode;
      case ScaleArithmetic::encode_factor:
      case ScaleArithmetic::encode_quotient: {
        const float factor = 1.0f / (scale_.value * (1.0f / rules_.tensor_encode));
        return factor > kLargestFloat ? kLargestFloat : factor;
      }
      case ScaleArithmetic::encode_division:
        return scale_.value / rules_.tensor_encode;
    }
    return 1;
  }

  float scaled(float x) const {
    return divides_elements(options_.arithmetic) ? x / factor_ : x * factor_;
  }

  uint32_t nan_magnitude() const {
    const uint32_t nan_code = format_.sign_mask() - 1;
    switch (options_.nan_elements) {
      case NanElement::zero:
      case NanElement::pass_through:
        return 0;
      case NanElement::nan_code:
        return format_.has_nan ? nan_code : 0;
      case NanElement::largest:
        return format_.max_code;
      case NanElement::negative_largest:
        return format_.has_nan ? nan_code : format_.max_code;
    }
    return 0;
  }

  bool nan_is_negative() const {
    return options_.nan_elements == NanElement::negative_largest && !format_.has_nan;
  }

  uint32_t magnitude_code(const ScaledElement& element, std::size_t index) const {
    if (element.nan) return nan_magnitude();
    uint32_t limit = format_.max_code;
    if (options_.full_integer_range && element.negative && format_.kind == FormatKind::integer) {
      limit++;
    }
    if (element.infinite) return limit;
    Rounding rounding = options_.rounding;
    if (rounding == Rounding::nearest_up && element.negative) rounding = Rounding::nearest_zero;
    const uint64_t random =
        rounding == Rounding::stochastic ? random_bits(options_.seed, index) : 0;
    return encode_magnitude(format_, element.significand, element.exponent, rounding, limit,
                            options_.float32_element_log2, random);
  }

  float value_of(uint32_t code, bool negative) const {
    float value = rules_.values[code];
    if (value == 0 && negative && !options_.unsigned_zero_values) value = -0.0f;
    return rules_.scaled_value(value, decode_factor_);
  }

  const BlockRules& rules_;
  const ElementFormat& format_;
  const QuantizerOptions& options_;
  const BlockScale& scale_;
  bool power_of_two_ = true;
  int divisor_exponent_ = 0;
  float factor_ = 1;
  float decode_factor_ = 1;
};

}  // namespace

float BlockRules::implied_amax(float tensor_scale) const {
  return options.value_order == ValueOrder::division ? tensor_limit / tensor_scale
                                                     : tensor_scale * tensor_limit;
}

CodeScale BlockRules::code_scale(float block_scale) const {
  switch (options.value_order) {
    case ValueOrder::code_first:
      break;
    case ValueOrder::scales_first:
      return {block_scale * tensor_decode, 1};
    case ValueOrder::amax_first:
      return {block_scale * tensor_amax * (1.0f / tensor_limit), 1};
    case ValueOrder::division:
      return {block_scale / tensor_decode, 1};
  }
  return {block_scale, tensor_decode};
}

ElementExponents element_exponents(const BlockRules& rules, const BlockScale& scale) {
  const QuantizerOptions& options = rules.options;
  int exponent = scale.exponent;
  if (options.min_integer_step) {
    exponent = std::max(exponent, *options.min_integer_step - rules.format.lsb_exponent);
  }
  if (exponent == -kScaleBias) {
    if (options.lowest_divisor == LowestDivisor::smallest_normal) return {-126, exponent};
    if (options.lowest_divisor == LowestDivisor::one) return {0, exponent};
  }
  return {exponent, exponent};
}

void quantize_elements(const float* x, std::size_t count, const BlockRules& rules,
                       const BlockScale& scale, uint16_t* codes, float* dequantized,
                       const ElementPlace& place) {
  const ElementQuantizer quantizer(rules, scale);
  // Scales with significand bits that are not poisoned by Inf: a NaN scale makes its elements NaN,
  // to which nan_elements applies.
  const bool carries_nan =
      !rules.options.scale_format.is_power_of_two() && rules.options.inf != SpecialRule::poison;
  const bool poisoned = !std::isfinite(scale.value) && !carries_nan;
  for (std::size_t i = 0; i < count; i++) {
    float* value = dequantized ? dequantized + i : nullptr;
    codes[i] = static_cast<uint16_t>(
        poisoned ? quantizer.poisoned(x[i], value)
                 : quantizer.quantize(x[i], place.first + i * place.stride, value));
  }
}

}  // namespace mxe::numerics
