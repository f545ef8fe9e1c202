// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/block/quantizer_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace mxe::numerics {
namespace {

// Largest block_size and block_rows.
constexpr std::size_t kMostElements = std::numeric_limits<int32_t>::max();
constexpr std::size_t kMostRows = std::size_t{1} << 20;

void require_count(const char* name, std::size_t count, std::size_t most) {
  if (count >= 1 && count <= most) return;
  throw Error(fmt::format("{} cannot be {} (allowed: 1 to {})", name, count, most));
}

void require_positive(const char* name, const std::optional<float>& number) {
  if (!number || (std::isfinite(*number) && *number > 0)) return;
  throw Error(fmt::format("{} cannot be {} (allowed: finite numbers above 0)", name, *number));
}

void require_not_negative(const char* name, float number) {
  if (std::isfinite(number) && number >= 0) return;
  throw Error(fmt::format("{} cannot be {} (allowed: finite numbers, 0 or more)", name, number));
}

void require_range(const char* name, int number, int least, int most) {
  if (number >= least && number <= most) return;
  throw Error(fmt::format("{} cannot be {} (allowed: {} to {})", name, number, least, most));
}

void validate_numbers(const QuantizerOptions& options) {
  constexpr int kFloatBits = 23;
  constexpr int kMostShift = 126;      // keeps 2^shift a normal float32
  constexpr int kMostExponent = 1000;  // kUnclamped of presets.cpp
  require_count("the block size", options.block_size, kMostElements);
  require_count("block_rows", options.block_rows, kMostRows);
  require_positive("tensor_scale_limit", options.tensor_scale_limit);
  require_positive("the tensor scale", options.tensor_scale);
  require_not_negative("zero_threshold", options.zero_threshold);
  require_not_negative("min_scale", options.min_scale);
  require_not_negative("zero_scale", options.zero_scale.value_or(0));
  require_range("even_bits", options.even_bits.value_or(0), 0, kFloatBits);
  require_range("element_shift", options.element_shift, -kMostShift, kMostShift);
  for (const auto& [name, exponent] :
       {std::pair("zero_log2", options.zero_log2),
        std::pair("zero_exponent", options.zero_exponent),
        std::pair("below_range_exponent", options.below_range_exponent),
        std::pair("min_integer_step", options.min_integer_step)}) {
    require_range(name, exponent.value_or(0), -kMostExponent, kMostExponent);
  }
}

// True if only the tensor scale enters the arithmetic, not the amax.
bool can_fix_tensor_scale(const QuantizerOptions& options) {
  return options.uses_tensor_scale && !options.row_scaled &&
         (options.arithmetic == ScaleArithmetic::two_reciprocals ||
          options.arithmetic == ScaleArithmetic::product ||
          options.arithmetic == ScaleArithmetic::encode_division);
}

}  // namespace

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

void validate(const QuantizerOptions& options) {
  validate_numbers(options);
  if (options.row_scaled && options.tensor_amax) {
    throw Error("a tensor amax cannot be combined with one tensor scale per row");
  }
  if (options.row_scaled && !options.uses_tensor_scale) {
    throw Error("row_scaled needs uses_tensor_scale");
  }
  if (options.tensor_scale && options.tensor_amax) {
    throw Error("a tensor scale and a tensor amax exclude each other");
  }
  if (options.tensor_scale && !can_fix_tensor_scale(options)) {
    throw Error(
        "a tensor scale needs uses_tensor_scale and the arithmetic two_reciprocals, product or "
        "encode_division: other presets compute with the amax (allowed: a tensor amax)");
  }
  if ((options.arithmetic == ScaleArithmetic::encode_division) !=
      (options.value_order == ValueOrder::division)) {
    throw Error("the arithmetic encode_division and the value_order division need each other");
  }
  const bool flat = options.walk == BlockWalk::flat;
  if (options.block_rows > 1 && (flat || options.row_scaled)) {
    throw Error(
        "blocks of several rows cannot be combined with flat blocks or one tensor scale per row");
  }
  const bool two_scales = options.arithmetic == ScaleArithmetic::encode_quotient ||
                          options.arithmetic == ScaleArithmetic::normalized;
  if (options.four_over_six != FourOverSix::off &&
      (options.scale_format.is_power_of_two() || !two_scales)) {
    throw Error(
        "four_over_six needs scales with significand bits and the arithmetic encode_quotient or "
        "normalized");
  }
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
         (!options.uses_tensor_scale || options.tensor_amax || options.tensor_scale);
}

}  // namespace mxe::numerics
