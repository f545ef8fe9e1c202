// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/kernels/preset_kernels.h"

#include "model/numerics/base/bits.h"

namespace mxe::numerics {
namespace {

int32_t power_bits(int exponent) { return (exponent + 127) << 23; }

// Addend that rounds a normal element before its low `drop` bits are cut off.
uint32_t rounding_addend(Rounding rounding, int drop) {
  const uint32_t half = 1u << (drop - 1);
  switch (rounding) {
    case Rounding::nearest_away:
    case Rounding::nearest_away_float32:
      return half;
    case Rounding::toward_zero:
      return 0;
    default:
      return half - 1;
  }
}

}  // namespace

EncodeRule encode_rule(const ElementFormat& format, const QuantizerOptions& options) {
  EncodeRule rule;
  rule.kind = format.kind;
  rule.rounding = options.rounding;
  if (format.kind == FormatKind::floating) rule.zero_sign = options.zero_sign;
  rule.divides = !options.scale_format.is_power_of_two() && divides_elements(options.arithmetic);
  rule.four_over_six = options.four_over_six;
  rule.value_order = options.value_order;
  return rule;
}

EncodeParameters encode_parameters(const ElementFormat& format, const QuantizerOptions& options) {
  EncodeParameters p;
  if (format.kind == FormatKind::integer) {
    const float largest = static_cast<float>(format.max_code);
    p.units = static_cast<float>(pow2(-format.lsb_exponent));
    p.max_positive = static_cast<int32_t>(to_bits(largest));
    p.max_negative =
        static_cast<int32_t>(to_bits(options.full_integer_range ? largest + 1 : largest));
    p.code_mask = static_cast<int32_t>(format.code_mask());
    p.lsb_field = 127 + 23;
    return p;
  }
  p.drop = 23 - format.mantissa_bits;
  p.max_bits = static_cast<int32_t>(to_bits(static_cast<float>(format.max)));
  p.min_normal = power_bits(format.emin());
  p.addend = rounding_addend(options.rounding, p.drop) -
             static_cast<uint32_t>(power_bits(format.emin() - 1));
  p.anchor = static_cast<uint32_t>(power_bits(format.lsb_exponent + 23));
  p.half = power_bits(format.lsb_exponent - 1);
  p.almost_half = p.half - 1;
  p.sign_shift = format.bits - 1;
  p.lsb_field = format.lsb_exponent + 127 + 23;
  return p;
}

DecodeParameters decode_parameters(const ElementFormat& format, const QuantizerOptions& options) {
  DecodeParameters p;
  p.drop = 23 - format.mantissa_bits;
  p.magnitudes = static_cast<int32_t>(format.sign_mask()) - 1;
  p.first_normal = 1 << format.mantissa_bits;
  p.bias = power_bits(format.emin() - 1);
  p.step = static_cast<float>(pow2(format.lsb_exponent));
  p.sign_shift = format.bits - 1;
  p.zero_signs = options.unsigned_zero_values ? 0 : -1;
  return p;
}

PresetKernels preset_kernels(const EncodeRule& rule, ScaleArithmetic arithmetic, SimdLevel level,
                             NumberType type) {
  switch (level) {
    case SimdLevel::portable:
      break;
    case SimdLevel::avx2:
      return preset_kernels_avx2(rule, arithmetic, type);
    case SimdLevel::avx512:
      return preset_kernels_avx512(rule, arithmetic, type);
  }
  return preset_kernels_portable(rule, arithmetic, type);
}

}  // namespace mxe::numerics
