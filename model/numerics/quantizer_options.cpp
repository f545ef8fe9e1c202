// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantizer_options.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>
#include <vector>

namespace mx {

std::string ScaleFormat::name() const {
  return fmt::format("e{}m{}", exponent_bits, mantissa_bits);
}

ScaleFormat parse_scale_format(std::string_view name) {
  const bool shaped = name.size() == 4 && name[0] == 'e' && name[2] == 'm' && name[1] >= '2' &&
                      name[1] <= '8' && name[3] >= '0' && name[3] <= '3';
  if (!shaped || (name[1] == '8' && name[3] != '0')) {
    throw Error(
        fmt::format("unknown scale format '{}' (allowed: e8m0 and eXmY with 2 to 7 exponent and 0 "
                    "to 3 mantissa "
                    "bits, for example e5m0, e4m3)",
                    name));
  }
  ScaleFormat format;
  format.exponent_bits = name[1] - '0';
  format.mantissa_bits = name[3] - '0';
  format.bias = (1 << (format.exponent_bits - 1)) - 1;
  return format;
}

bool operator==(const ScaleFormat& a, const ScaleFormat& b) {
  return std::tie(a.exponent_bits, a.mantissa_bits, a.bias) ==
         std::tie(b.exponent_bits, b.mantissa_bits, b.bias);
}

bool operator==(const ExponentRange& a, const ExponentRange& b) {
  return a.min == b.min && a.max == b.max;
}

bool operator==(const QuantizerOptions& a, const QuantizerOptions& b) {
  const auto reading = [](const QuantizerOptions& o) {
    return std::tie(o.bfloat16_input, o.walk, o.block_size, o.block_rows);
  };
  const auto scale = [](const QuantizerOptions& o) {
    return std::tie(o.scale_format, o.scale_rule, o.log2, o.quotient, o.even_bits, o.nan, o.inf,
                    o.all_nan_poisons, o.zero_threshold, o.zero_log2, o.zero_exponent,
                    o.exponent_range, o.above_range, o.below_range_exponent, o.poison_codes);
  };
  const auto real_scale = [](const QuantizerOptions& o) {
    return std::tie(o.arithmetic, o.uses_tensor_scale, o.row_scaled, o.tensor_amax,
                    o.tensor_specials, o.tensor_scale_limit, o.min_scale, o.saturate_scale,
                    o.zero_scale, o.value_order, o.four_over_six);
  };
  const auto elements = [](const QuantizerOptions& o) {
    return std::tie(o.rounding, o.seed, o.unsigned_zero_values, o.float32_element_log2, o.zero_sign,
                    o.element_shift, o.full_integer_range, o.min_integer_step, o.lowest_divisor,
                    o.flush_subnormal_blocks, o.nan_elements, o.inf_elements);
  };
  return reading(a) == reading(b) && scale(a) == scale(b) && real_scale(a) == real_scale(b) &&
         elements(a) == elements(b);
}

ExponentRange QuantizerOptions::range() const {
  if (exponent_range) return *exponent_range;
  return {scale_format.min_exponent(), scale_format.max_exponent()};
}

const char* scale_rule_name(ScaleRule rule) {
  constexpr std::array<const char*, kAllScaleRules.size()> kNames = {"floor", "ceil", "even",
                                                                     "rceil"};
  return kNames[static_cast<std::size_t>(rule)];
}

ScaleRule parse_scale_rule(std::string_view name) {
  std::vector<const char*> names;
  for (const ScaleRule rule : kAllScaleRules) {
    if (name == scale_rule_name(rule)) return rule;
    names.push_back(scale_rule_name(rule));
  }
  throw Error(fmt::format("unknown scale rule '{}' (allowed: {})", name, fmt::join(names, ", ")));
}

}  // namespace mx
