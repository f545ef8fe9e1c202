// SPDX-License-Identifier: Apache-2.0
// Values of configuration keys, from text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "model/numerics/base/error.h"
#include "model/platform/dram/config.h"

namespace mxe::dram {
namespace {

struct Quantity {
  double value;
  std::string unit;
};

/// Splits "13.75 ns" into 13.75 and "ns". Empty if the text does not begin with a decimal number.
std::optional<Quantity> parse_quantity(const std::string& text) {
  const std::size_t digits = text.find_first_not_of("0123456789.");
  const std::string number = text.substr(0, digits);
  if (number.empty() || number == "." || std::count(number.begin(), number.end(), '.') > 1) {
    return std::nullopt;
  }
  std::string unit = digits == std::string::npos ? "" : text.substr(digits);
  unit.erase(0, unit.find_first_not_of(' '));
  return Quantity{std::strtod(number.c_str(), nullptr), unit};
}

/// Picoseconds of a unit, 0 for none, or empty for another word.
std::optional<double> picoseconds_of(const std::string& unit) {
  if (unit.empty()) return 0;
  if (unit == "ps") return 1;
  if (unit == "ns") return 1e3;
  if (unit == "us") return 1e6;
  return std::nullopt;
}

uint32_t whole(const char* key, const std::string& text, double value, const char* kinds) {
  if (value == std::floor(value) && value <= 4e9) return static_cast<uint32_t>(value);
  throw Error(fmt::format("{}={}: allowed: {}", key, text, kinds));
}

uint32_t cycles_of_time(const Config& config, const char* key, const std::string& text, double ps) {
  const double cycles = ps * 1000 / double(config.tck_fs);
  const double nearest = std::round(cycles);
  // A tCK such as 416.667 ps is rounded to femtoseconds: up to half of one per cycle.
  const double rounding = 1e-6 + cycles * 0.5 / double(config.tck_fs);
  if (std::abs(cycles - nearest) <= rounding && nearest <= 4e9) {
    return static_cast<uint32_t>(nearest);
  }
  throw Error(fmt::format("{}={} is {:.3f} tCK of {} ps; allowed: whole numbers of tCK, such as {}",
                          key, text, cycles, double(config.tck_fs) / 1000, std::ceil(cycles)));
}

uint32_t value_of(const Config& config, const KeyInfo& key, const std::string& text) {
  constexpr const char* kKinds[] = {"a whole number",
                                    "a whole number of tCK, or a time in ns or ps",
                                    "a whole number of ps, or a time in ns or ps"};
  const char* kinds = kKinds[static_cast<int>(key.unit)];
  const auto quantity = parse_quantity(text);
  const auto unit = quantity ? picoseconds_of(quantity->unit) : std::nullopt;
  if (!unit || (*unit != 0 && key.unit == KeyInfo::Unit::count)) {
    throw Error(fmt::format("{}={}: allowed: {}", key.name, text, kinds));
  }
  if (*unit == 0) return whole(key.name, text, quantity->value, kinds);
  const double ps = quantity->value * *unit;
  if (key.unit == KeyInfo::Unit::picoseconds) return whole(key.name, text, std::round(ps), kinds);
  return cycles_of_time(config, key.name, text, ps);
}

double decimal(const std::string& key, const std::string& text, double most) {
  const auto quantity = parse_quantity(text);
  if (quantity && quantity->unit.empty() && quantity->value <= most) return quantity->value;
  throw Error(fmt::format("{}={}: allowed: a number from 0 to {}", key, text, most));
}

void set_tck(Config& config, const std::string& text) {
  const auto quantity = parse_quantity(text);
  const auto unit = quantity ? picoseconds_of(quantity->unit) : std::nullopt;
  const double ps = unit ? quantity->value * (*unit == 0 ? 1 : *unit) : 0;
  if (!(ps >= 50 && ps <= 20'000)) {
    throw Error(fmt::format("tCK={}: allowed: 50 to 20000 ps", text));
  }
  config.tck_fs = static_cast<uint64_t>(std::llround(ps * 1000));
}

bool set_word(Config& config, const std::string& key, const std::string& value) {
  if (key == "map") {
    config.map = value;
  } else if (key == "source") {
    config.source = value;
  } else if (key == "energy_source") {
    config.energy_source = value;
  } else if (key == "refresh") {
    if (value != "all" && value != "per-bank" && value != "off") {
      throw Error(fmt::format("refresh={}: allowed: all, per-bank, off", value));
    }
    config.refresh = value == "all"        ? RefreshMode::all_bank
                     : value == "per-bank" ? RefreshMode::per_bank
                                           : RefreshMode::off;
  } else if (key == "controller") {
    const Mode other = value == controller_name(Mode::in_order) ? Mode::in_order : Mode::fr_fcfs;
    if (value != controller_name(other)) {
      throw Error(fmt::format("controller={}: allowed: quick, fr-fcfs", value));
    }
    config.controller = other;
  } else if (key == "page") {
    if (value != "open" && value != "closed") {
      throw Error(fmt::format("page={}: allowed: open, closed", value));
    }
    config.page = value == "open" ? PagePolicy::open : PagePolicy::closed;
  } else {
    return false;
  }
  return true;
}

}  // namespace

const char* controller_name(Mode mode) { return mode == Mode::in_order ? "quick" : "fr-fcfs"; }

std::string key_names() {
  std::string names = "tCK, map, controller, refresh, page, tRCD, source, energy_source";
  for (const KeyInfo& key : config_keys()) names += fmt::format(", {}", key.name);
  for (const PowerKeyInfo& key : power_keys()) names += fmt::format(", {}", key.name);
  return names;
}

void set_value(Config& config, const std::string& key, const std::string& value) {
  if (key == "tCK") return set_tck(config, value);
  if (set_word(config, key, value)) return;
  if (key == "tRCD") {
    set_value(config, "tRCD_RD", value);
    return set_value(config, "tRCD_WR", value);
  }
  if (key == "tRP") set_value(config, "tRPab", value);
  for (const KeyInfo& info : config_keys()) {
    if (key == info.name) {
      config.*(info.member) = value_of(config, info, value);
      return;
    }
  }
  for (const PowerKeyInfo& info : power_keys()) {
    if (key == info.name) {
      config.*(info.member) = decimal(key, value, info.max);
      return;
    }
  }
  throw Error(fmt::format("unknown key '{}'; allowed: {}", key, key_names()));
}

}  // namespace mxe::dram
