// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantizer_options.h"

#include <fmt/format.h>

#include <algorithm>
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

const std::vector<QuantizerSwitch>& quantizer_switches() {
#define MXE_SWITCH(field)                                        \
  QuantizerSwitch{                                               \
      #field,                                                    \
      [](const QuantizerOptions& a, const QuantizerOptions& b) { \
        return std::tie(a.field) == std::tie(b.field);           \
      },                                                         \
      [](const QuantizerOptions& from, QuantizerOptions& to) { to.field = from.field; }},
  static const std::vector<QuantizerSwitch> kSwitches = {MXE_QUANTIZER_SWITCHES(MXE_SWITCH)};
#undef MXE_SWITCH
  return kSwitches;
}

bool operator==(const QuantizerOptions& a, const QuantizerOptions& b) {
  const std::vector<QuantizerSwitch>& all = quantizer_switches();
  return std::all_of(all.begin(), all.end(),
                     [&](const QuantizerSwitch& one) { return one.same(a, b); });
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

bool has_independent_blocks(const QuantizerOptions& options) {
  return options.walk == BlockWalk::axis && options.block_size > 0 && options.block_rows == 1 &&
         options.rounding != Rounding::stochastic && !options.row_scaled &&
         (!options.uses_tensor_scale || options.tensor_amax);
}

}  // namespace mx
