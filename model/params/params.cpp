// SPDX-License-Identifier: Apache-2.0
#include "model/params/params.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/numerics/base/power_of_two.h"
#include "model/numerics/files/files.h"

namespace mxe {
namespace {

const ParameterInfo* find_parameter(std::string_view name) {
  const auto it = std::find_if(parameter_table.begin(), parameter_table.end(),
                               [name](const ParameterInfo& info) { return name == info.name; });
  return it == parameter_table.end() ? nullptr : &*it;
}

std::string parameter_names() {
  std::vector<const char*> names;
  for (const ParameterInfo& info : parameter_table) names.push_back(info.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const ParameterInfo& parameter(std::string_view name) {
  if (const ParameterInfo* info = find_parameter(name)) return *info;
  throw Error(fmt::format("unknown parameter '{}' (allowed: {})", name, parameter_names()));
}

std::optional<unsigned> parse_unsigned(std::string_view text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

unsigned parse_value(const ParameterInfo& info, std::string_view text) {
  if (const auto value = parse_unsigned(text)) return *value;
  throw Error(fmt::format("{} must be a whole number of at least 0, not '{}'", info.name, text));
}

bool is_allowed(const ParameterInfo& info, unsigned value) {
  if (info.choices[0] != 0) {
    return std::find(info.choices.begin(), info.choices.end(), value) != info.choices.end();
  }
  return value >= info.min && value <= info.max && (!info.power_of_two || is_power_of_two(value));
}

const ParameterInfo& parameter(unsigned ParameterValues::*field) {
  return *std::find_if(parameter_table.begin(), parameter_table.end(),
                       [field](const ParameterInfo& info) { return info.field == field; });
}

/// Throws LimitError if the value of `info` is below `other` (with `at_least`) or above it
/// (without). Null `other`: no check.
void check_relation(const Params& params, const ParameterInfo& info,
                    unsigned ParameterValues::*other, bool at_least) {
  if (!other) return;
  const unsigned value = params.*(info.field), limit = params.*other;
  if (at_least ? value >= limit : value <= limit) return;
  const char* name = parameter(other).name;
  throw LimitError(fmt::format("{} is {}, but must be at {} {}, which is {}", info.name, value,
                               at_least ? "least" : "most", name, limit),
                   fmt::format("{} {} {}", info.name, at_least ? ">=" : "<=", name),
                   {double(value), double(limit)});
}

std::string scalar(const YAML::Node& node, const std::string& key) {
  if (node.IsScalar()) return node.Scalar();
  throw Error(fmt::format("the value of '{}' must be a single number or word", key));
}

Params parse_yaml(const std::string& text) {
  const YAML::Node root = YAML::Load(text);
  Params params;
  if (root.IsNull()) return params;
  if (!root.IsMap()) throw Error("a configuration must be a map of parameter names to values");
  if (const YAML::Node config = root["config"]) params = Params::named(scalar(config, "config"));
  std::vector<std::string> seen;
  for (const auto& entry : root) {
    const std::string key = scalar(entry.first, "key");
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      throw Error(fmt::format("'{}' is given twice", key));
    }
    seen.push_back(key);
    if (key == "config") continue;
    const ParameterInfo* info = find_parameter(key);
    if (!info) {
      throw Error(fmt::format("unknown key '{}' (allowed: config, {})", key, parameter_names()));
    }
    params.*(info->field) = parse_value(*info, scalar(entry.second, key));
  }
  params.validate();
  return params;
}

}  // namespace

const std::vector<const char*>& config_names() {
  static const std::vector<const char*> kNames = [] {
    std::vector<const char*> names;
    for (const NamedParameters& one : named_parameters) names.push_back(one.name);
    return names;
  }();
  return kNames;
}

Params Params::named(std::string_view name) {
  for (const NamedParameters& one : named_parameters) {
    if (name == one.name) return Params{one.values};
  }
  throw Error(fmt::format("unknown configuration '{}' (allowed: {})", name,
                          fmt::join(config_names(), ", ")));
}

Params Params::from_yaml(const std::string& text, const std::string& origin) {
  try {
    return parse_yaml(text);
  } catch (const YAML::Exception& error) {
    throw Error(fmt::format("{}:{}: not YAML: {}", origin, error.mark.line + 1, error.msg));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", origin, error.what()));
  }
}

Params Params::from_file(const std::string& path) {
  return from_yaml(numerics::read_text(path), path);
}

Params Params::load(const std::string& name_or_file) {
  const auto& names = config_names();
  if (std::find(names.begin(), names.end(), name_or_file) != names.end()) {
    return named(name_or_file);
  }
  if (std::filesystem::exists(name_or_file)) return from_file(name_or_file);
  throw Error(fmt::format("'{}' is neither a named configuration ({}) nor a readable file",
                          name_or_file, fmt::join(names, ", ")));
}

void Params::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw Error(fmt::format("'{}' is not of the form NAME=VALUE (names: {})", assignment,
                            parameter_names()));
  }
  const ParameterInfo& info = parameter(assignment.substr(0, equals));
  this->*(info.field) = parse_value(info, assignment.substr(equals + 1));
}

void Params::validate() const {
  for (const ParameterInfo& info : parameter_table) {
    const unsigned value = this->*(info.field);
    if (is_allowed(info, value)) continue;
    throw LimitError(fmt::format("{} is {}, but must be {}", info.name, value, info.allowed),
                     info.name, {double(value)});
  }
  for (const ParameterInfo& info : parameter_table) {
    check_relation(*this, info, info.at_least, true);
    check_relation(*this, info, info.at_most, false);
  }
}

std::string Params::config_name() const {
  for (const char* name : config_names()) {
    if (*this == named(name)) return name;
  }
  return "custom";
}

std::string Params::to_string() const {
  std::vector<std::string> words;
  for (const ParameterInfo& info : parameter_table) {
    words.push_back(fmt::format("{}={}", info.name, this->*(info.field)));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

bool operator==(const Params& a, const Params& b) {
  return std::all_of(parameter_table.begin(), parameter_table.end(),
                     [&](const ParameterInfo& info) { return a.*(info.field) == b.*(info.field); });
}

}  // namespace mxe
