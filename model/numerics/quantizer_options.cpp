#include "numerics/quantizer_options.h"

#include <fmt/format.h>

#include <utility>

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

ExponentRange QuantizerOptions::range() const {
  if (exponent_range) return *exponent_range;
  return {scale_format.min_exponent(), scale_format.max_exponent()};
}

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

}  // namespace mx
