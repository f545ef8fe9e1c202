#include "model/params/params.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "model/numerics/error.h"

namespace mxe {
namespace {

const ParameterInfo* find_parameter(std::string_view name) {
  const auto& table = parameter_table();
  const auto it = std::find_if(table.begin(), table.end(),
                               [name](const ParameterInfo& info) { return name == info.name; });
  return it == table.end() ? nullptr : &*it;
}

std::string parameter_names() {
  std::vector<const char*> names;
  for (const ParameterInfo& info : parameter_table()) names.push_back(info.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const ParameterInfo& parameter(std::string_view name) {
  if (const ParameterInfo* info = find_parameter(name)) return *info;
  throw mx::Error(fmt::format("unknown parameter '{}' (allowed: {})", name, parameter_names()));
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
  throw mx::Error(
      fmt::format("{} must be a whole number of at least 0, not '{}'", info.name, text));
}

bool is_power_of_two(unsigned value) { return value != 0 && (value & (value - 1)) == 0; }

void check_range(const ParameterInfo& info, unsigned value) {
  const bool in_range = value >= info.min && value <= info.max;
  if (in_range && (!info.power_of_two || is_power_of_two(value))) return;
  throw mx::Error(fmt::format("{} is {}, but must be {} {} to {}", info.name, value,
                              info.power_of_two ? "a power of two from" : "from", info.min,
                              info.max));
}

/// The value of `key` in a configuration file as one line of text.
std::string scalar(const YAML::Node& node, const std::string& key) {
  if (node.IsScalar()) return node.Scalar();
  throw mx::Error(fmt::format("the value of '{}' must be a single number or word", key));
}

Params parse_yaml(const std::string& text) {
  const YAML::Node root = YAML::Load(text);
  Params params;
  if (root.IsNull()) return params;
  if (!root.IsMap()) throw mx::Error("a configuration must be a map of parameter names to values");
  if (const YAML::Node config = root["config"]) params = Params::named(scalar(config, "config"));
  std::vector<std::string> seen;
  for (const auto& entry : root) {
    const std::string key = scalar(entry.first, "key");
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      throw mx::Error(fmt::format("'{}' is given twice", key));
    }
    seen.push_back(key);
    if (key == "config") continue;
    const ParameterInfo* info = find_parameter(key);
    if (!info) {
      throw mx::Error(
          fmt::format("unknown key '{}' (allowed: config, {})", key, parameter_names()));
    }
    params.*(info->field) = parse_value(*info, scalar(entry.second, key));
  }
  params.validate();
  return params;
}

}  // namespace

const std::array<ParameterInfo, kParameterCount>& parameter_table() {
  static constexpr std::array<ParameterInfo, kParameterCount> kTable{{
      {"NUM_PE", &Params::num_pe, 1, 64, true, "processing elements (columns of C)"},
      {"ROWS", &Params::rows, 8, 256, true, "rows of C per column tile"},
      {"ACC_TILES", &Params::acc_tiles, 1, 16, true, "column tiles accumulated together"},
      {"TREE_W", &Params::tree_w, 42, 70, false, "bits of the exact block sum"},
      {"FP4_DUAL", &Params::fp4_dual, 0, 1, false, "two blocks a cycle for 4-bit pairs"},
      {"A_SLAB_K", &Params::a_slab_k, 32, 16384, true, "elements of K resident of A"},
      {"B_BUF_K", &Params::b_buf_k, 32, 16384, true, "elements of K in one B buffer"},
      {"MEM_W", &Params::mem_w, 64, 512, true, "bits of the memory port"},
      {"QUEUE_DEPTH", &Params::queue_depth, 2, 256, true, "largest number of ring entries"},
      {"MAX_BURST", &Params::max_burst, 1, 256, true, "largest burst in beats"},
  }};
  return kTable;
}

const std::array<const char*, 3>& config_names() {
  static constexpr std::array<const char*, 3> kNames{"small", "base", "large"};
  return kNames;
}

Params Params::named(std::string_view name) {
  Params params;
  if (name == "base") return params;
  if (name == "small") {
    params.num_pe = 4;
    params.rows = 8;
    params.acc_tiles = 2;
    params.a_slab_k = 128;
    params.b_buf_k = 64;
    params.mem_w = 128;
    return params;
  }
  if (name == "large") {
    params.num_pe = 32;
    params.rows = 64;
    params.mem_w = 512;
    return params;
  }
  throw mx::Error(fmt::format("unknown configuration '{}' (allowed: {})", name,
                              fmt::join(config_names(), ", ")));
}

Params Params::from_yaml(const std::string& text, const std::string& origin) {
  try {
    return parse_yaml(text);
  } catch (const YAML::Exception& error) {
    throw mx::Error(fmt::format("{}: not YAML: {}", origin, error.what()));
  } catch (const mx::Error& error) {
    throw mx::Error(fmt::format("{}: {}", origin, error.what()));
  }
}

Params Params::from_file(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    throw mx::Error(fmt::format("cannot read the configuration file '{}'", path));
  }
  return from_yaml({std::istreambuf_iterator<char>(file), {}}, path);
}

Params Params::load(const std::string& name_or_file) {
  const auto& names = config_names();
  if (std::find(names.begin(), names.end(), name_or_file) != names.end()) {
    return named(name_or_file);
  }
  if (std::filesystem::exists(name_or_file)) return from_file(name_or_file);
  throw mx::Error(fmt::format("'{}' is neither a named configuration ({}) nor a readable file",
                              name_or_file, fmt::join(names, ", ")));
}

void Params::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw mx::Error(fmt::format("'{}' is not of the form NAME=VALUE (names: {})", assignment,
                                parameter_names()));
  }
  const ParameterInfo& info = parameter(assignment.substr(0, equals));
  this->*(info.field) = parse_value(info, assignment.substr(equals + 1));
}

void Params::validate() const {
  for (const ParameterInfo& info : parameter_table()) {
    if (info.field == &Params::tree_w) continue;
    check_range(info, this->*(info.field));
  }
  if (tree_w != 42 && tree_w != 56 && tree_w != 70) {
    throw mx::Error(fmt::format("TREE_W is {}, but must be 42, 56 or 70", tree_w));
  }
  if (rows < num_pe) {
    throw mx::Error(
        fmt::format("ROWS is {}, but must be at least NUM_PE, which is {}", rows, num_pe));
  }
  if (b_buf_k > a_slab_k) {
    throw mx::Error(
        fmt::format("B_BUF_K is {}, but must be at most A_SLAB_K, which is {}", b_buf_k, a_slab_k));
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
  for (const ParameterInfo& info : parameter_table()) {
    words.push_back(fmt::format("{}={}", info.name, this->*(info.field)));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

bool operator==(const Params& a, const Params& b) {
  const auto& table = parameter_table();
  return std::all_of(table.begin(), table.end(),
                     [&](const ParameterInfo& info) { return a.*(info.field) == b.*(info.field); });
}

}  // namespace mxe
