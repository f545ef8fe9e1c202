// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/block/switches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <type_traits>
#include <vector>

namespace mxe::numerics {
namespace {

// The names of enumerators, in the order of their values.
template <typename Choice>
struct Names;

template <>
struct Names<BlockWalk> {
  static constexpr std::array<std::string_view, 2> all = {"axis", "flat"};
};
template <>
struct Names<ScaleRule> {
  static constexpr std::array<std::string_view, 4> all = {"floor", "ceil", "even", "rceil"};
};
template <>
struct Names<Log2Source> {
  static constexpr std::array<std::string_view, 3> all = {"exact", "field", "float32"};
};
template <>
struct Names<Quotient> {
  static constexpr std::array<std::string_view, 3> all = {"exact", "reciprocal", "division"};
};
template <>
struct Names<SpecialRule> {
  static constexpr std::array<std::string_view, 8> all = {
      "poison",        "ignore",       "top_exponent", "largest_float",
      "largest_scale", "lowest_scale", "infinite",     "smallest_scale"};
};
template <>
struct Names<PoisonCodes> {
  static constexpr std::array<std::string_view, 3> all = {"zero", "nan", "signed_zero"};
};
template <>
struct Names<RangeRule> {
  static constexpr std::array<std::string_view, 3> all = {"clamp", "poison", "infinite"};
};
template <>
struct Names<ZeroSign> {
  static constexpr std::array<std::string_view, 5> all = {"keep", "value", "positive", "negative",
                                                          "zero_only"};
};
template <>
struct Names<NanElement> {
  static constexpr std::array<std::string_view, 5> all = {"zero", "nan_code", "largest",
                                                          "negative_largest", "pass_through"};
};
template <>
struct Names<InfElement> {
  static constexpr std::array<std::string_view, 2> all = {"saturate", "pass_through"};
};
template <>
struct Names<LowestDivisor> {
  static constexpr std::array<std::string_view, 3> all = {"scale", "smallest_normal", "one"};
};
template <>
struct Names<ScaleArithmetic> {
  static constexpr std::array<std::string_view, 8> all = {
      "division",      "reciprocal",      "two_reciprocals", "product",
      "encode_factor", "encode_quotient", "normalized",      "encode_division"};
};
template <>
struct Names<ValueOrder> {
  static constexpr std::array<std::string_view, 4> all = {"code_first", "scales_first",
                                                          "amax_first", "division"};
};
template <>
struct Names<FourOverSix> {
  static constexpr std::array<std::string_view, 3> all = {"off", "absolute", "squared"};
};
template <>
struct Names<Rounding> {
  static constexpr std::array<std::string_view, 8> all = {
      "nearest_even", "nearest_away",         "nearest_zero",         "nearest_up",
      "toward_zero",  "nearest_even_float32", "nearest_away_float32", "stochastic"};
};

[[noreturn]] void refuse(std::string_view name, const std::string& allowed) {
  throw Error(fmt::format("switch {} cannot have this value (allowed: {})", name, allowed));
}

SwitchValue to_value(bool value) { return value; }
SwitchValue to_value(int value) { return int64_t{value}; }
SwitchValue to_value(uint64_t value) { return static_cast<int64_t>(value); }
SwitchValue to_value(float value) { return static_cast<double>(value); }
SwitchValue to_value(const ScaleFormat& value) { return value.name(); }
SwitchValue to_value(const ExponentRange& value) {
  return std::pair<int64_t, int64_t>{value.min, value.max};
}
template <typename Choice, typename = std::enable_if_t<std::is_enum_v<Choice>>>
SwitchValue to_value(Choice value) {
  return std::string(Names<Choice>::all[static_cast<std::size_t>(value)]);
}
template <typename Value>
SwitchValue to_value(const std::optional<Value>& value) {
  return value ? to_value(*value) : SwitchValue{};
}

void from_value(bool& member, std::string_view name, const SwitchValue& value) {
  if (!std::holds_alternative<bool>(value)) refuse(name, "true, false");
  member = std::get<bool>(value);
}

int64_t whole_number(std::string_view name, const SwitchValue& value, int64_t least, int64_t most) {
  const int64_t* number = std::get_if<int64_t>(&value);
  if (!number || *number < least || *number > most) {
    refuse(name, fmt::format("whole numbers from {} to {}", least, most));
  }
  return *number;
}

void from_value(int& member, std::string_view name, const SwitchValue& value) {
  constexpr int kMost = 1000;  // limit of exponents, shifts and numbers of bits
  member = static_cast<int>(whole_number(name, value, -kMost, kMost));
}
void from_value(uint64_t& member, std::string_view name, const SwitchValue& value) {
  member = static_cast<uint64_t>(whole_number(name, value, 0, std::numeric_limits<int64_t>::max()));
}
void from_value(float& member, std::string_view name, const SwitchValue& value) {
  if (const int64_t* number = std::get_if<int64_t>(&value)) {
    member = static_cast<float>(*number);
  } else if (const double* real = std::get_if<double>(&value)) {
    member = static_cast<float>(*real);
  } else {
    refuse(name, "numbers");
  }
}
void from_value(ScaleFormat& member, std::string_view name, const SwitchValue& value) {
  const std::string* text = std::get_if<std::string>(&value);
  if (!text) refuse(name, "the name of a scale format, for example e8m0, e4m3");
  member = parse_scale_format(*text);
}
void from_value(ExponentRange& member, std::string_view name, const SwitchValue& value) {
  const auto* ends = std::get_if<std::pair<int64_t, int64_t>>(&value);
  if (!ends || ends->first > ends->second) refuse(name, "two exponents, the lower one first");
  from_value(member.min, name, ends->first);
  from_value(member.max, name, ends->second);
}
template <typename Choice, typename = std::enable_if_t<std::is_enum_v<Choice>>>
void from_value(Choice& member, std::string_view name, const SwitchValue& value) {
  constexpr auto& names = Names<Choice>::all;
  const std::string* text = std::get_if<std::string>(&value);
  for (std::size_t i = 0; text && i < names.size(); i++) {
    if (*text != names[i]) continue;
    member = static_cast<Choice>(i);
    return;
  }
  if constexpr (std::is_same_v<Choice, Rounding>) {
    if (text) {
      member = parse_rounding(*text);
      return;
    }
  }
  refuse(name, fmt::format("{}", fmt::join(names, ", ")));
}
template <typename Value>
void from_value(std::optional<Value>& member, std::string_view name, const SwitchValue& value) {
  if (std::holds_alternative<std::monostate>(value)) {
    member.reset();
    return;
  }
  Value parsed{};
  from_value(parsed, name, value);
  member = parsed;
}

[[noreturn]] void throw_unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const QuantizerSwitch& one : quantizer_switches()) names.emplace_back(one.name);
  throw Error(fmt::format("unknown switch '{}' (allowed: {})", name, fmt::join(names, ", ")));
}

}  // namespace

SwitchValue switch_value(const QuantizerOptions& options, std::string_view name) {
#define MXE_SWITCH(field) \
  if (name == #field) return to_value(options.field);
  MXE_QUANTIZER_SWITCHES(MXE_SWITCH)
#undef MXE_SWITCH
  throw_unknown(name);
}

void set_switch(QuantizerOptions& options, std::string_view name, const SwitchValue& value) {
#define MXE_SWITCH(field) \
  if (name == #field) return from_value(options.field, name, value);
  MXE_QUANTIZER_SWITCHES(MXE_SWITCH)
#undef MXE_SWITCH
  throw_unknown(name);
}

}  // namespace mxe::numerics
