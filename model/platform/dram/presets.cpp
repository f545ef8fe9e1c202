// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/presets.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/platform/dram/dram.h"
#include "model/platform/dram/preset_texts.h"

namespace mxe::dram {
namespace {

struct Preset {
  const char* name;
  std::string_view text;
};

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = {
      {"ddr4-3200", kDdrFour},     {"ddr5-4800", kDdrFive},
      {"ddr5-6400", kDdrFiveFast}, {"lpddr4x-4266", kLpddrFourX},
      {"lpddr5-6400", kLpddrFive}, {"lpddr5x-8533", kLpddrFiveX},
      {"hbm2", kHbmTwo},           {"hbm3", kHbmThree}};
  return kPresets;
}

std::string scalar(const YAML::Node& node) {
  if (node.IsScalar()) return node.Scalar();
  throw Error("a value must be a single number or word");
}

/// Calls `apply`, and adds the line of `node` to its error.
template <typename Apply>
void at_line(const YAML::Node& node, const std::string& origin, const Apply& apply) {
  try {
    apply();
  } catch (const Error& error) {
    throw Error(fmt::format("{}:{}: {}", origin, node.Mark().line + 1, error.what()));
  }
}

void apply_entries(Config& config, const YAML::Node& root, const std::string& origin) {
  std::set<std::string> seen;
  for (const bool is_tck : {true, false}) {  // times in ns need tCK
    for (const auto& entry : root) {
      at_line(entry.first, origin, [&, &key_node = entry.first, &value_node = entry.second] {
        const std::string key = scalar(key_node);
        if (key == "preset" || (key == "tCK") != is_tck) return;
        if (!seen.insert(key).second) throw Error(fmt::format("'{}' occurs twice", key));
        set_value(config, key, scalar(value_node));
      });
    }
  }
}

Config parse_yaml(const std::string& text, const std::string& origin) {
  const YAML::Node root = YAML::Load(text);
  if (root.IsNull()) throw Error(fmt::format("{}: the file is empty; allowed: a map", origin));
  if (!root.IsMap()) throw Error(fmt::format("{}: allowed: a map of keys to values", origin));
  Config config;
  if (const YAML::Node start = root["preset"]) {
    at_line(start, origin, [&] { config = preset(scalar(start)); });
    config.source.clear();
  }
  config.name = origin;
  apply_entries(config, root, origin);
  return config;
}

bool is_file_name(const std::string& name) {
  const auto ends_in = [&name](std::string_view end) {
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  return name.find('/') != std::string::npos || ends_in(".yaml") || ends_in(".yml");
}

void apply_option(Config& config, const std::string& option, const std::string& text) {
  const std::size_t equals = option.find('=');
  if (option == "ideal") {
    config.is_ideal = true;
  } else if (equals == std::string::npos) {
    throw Error(
        fmt::format("memory '{}': '{}' is no option; allowed: KEY=VALUE, ideal", text, option));
  } else {
    set_value(config, option.substr(0, equals), option.substr(equals + 1));
  }
}

}  // namespace

const std::vector<const char*>& preset_names() {
  static const std::vector<const char*> kNames = [] {
    std::vector<const char*> names;
    for (const Preset& one : presets()) names.push_back(one.name);
    return names;
  }();
  return kNames;
}

Config preset(std::string_view name) {
  for (const Preset& one : presets()) {
    if (name != one.name) continue;
    Config config = parse_yaml(std::string(one.text), one.name);
    config.validate();
    return config;
  }
  throw Error(fmt::format("unknown memory '{}'; allowed: {}, or a YAML file", name,
                          fmt::join(preset_names(), ", ")));
}

Config from_yaml(const std::string& text, const std::string& origin) {
  try {
    Config config = parse_yaml(text, origin);
    config.validate();
    return config;
  } catch (const YAML::Exception& error) {
    throw Error(fmt::format("{}:{}: not YAML: {}", origin, error.mark.line + 1, error.msg));
  } catch (const LimitError& error) {
    throw Error(fmt::format("{}: {}", origin, error.what()));
  }
}

Config load_config(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  Config config = is_file_name(name) ? from_yaml(numerics::read_text(name), name) : preset(name);
  std::size_t begin = colon;
  while (begin != std::string::npos) {
    const std::size_t end = text.find_first_of(":,", begin + 1);
    apply_option(config, text.substr(begin + 1, end == std::string::npos ? end : end - begin - 1),
                 text);
    begin = end;
  }
  config.validate();
  return config;
}

std::vector<PresetInfo> list_presets() {
  std::vector<PresetInfo> list;
  for (const char* name : preset_names()) {
    const Config config = preset(name);
    list.push_back(
        {name, config.peak_gbs(), double(idle_latency_ps(config)) * 1e-3, config.source});
  }
  return list;
}

std::string preset_table() {
  std::string table = fmt::format("{:<13} {:>9} {:>8}  {}\n", "memory", "peak GB/s", "idle ns",
                                  "source of the timings");
  for (const PresetInfo& info : list_presets()) {
    table += fmt::format("{:<13} {:>9.1f} {:>8.1f}  {}\n", info.name, info.peak_gbs,
                         info.idle_latency_ns, info.source);
  }
  return table;
}

}  // namespace mxe::dram
