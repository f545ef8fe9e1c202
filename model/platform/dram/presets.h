// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/platform/dram/config.h"

namespace mxe::dram {

/// Names of the shipped configurations: "ddr4-3200", "hbm3" and others.
const std::vector<const char*>& preset_names();

/// A shipped configuration. Throws Error with the allowed names.
Config preset(std::string_view name);

/// Parses a flat YAML map of the keys of set_value(); `preset: NAME` sets starting values (default
/// ddr4-3200). Throws Error: "ORIGIN:LINE: problem; allowed: ...".
Config from_yaml(const std::string& text, const std::string& origin);

/// Parses "NAME[:KEY=VALUE,...][:ideal]", where NAME is a preset or a YAML file. A file's name has
/// a "/" or ends in .yaml or .yml. Validates the result. Throws Error.
Config load_config(const std::string& text);

/// A row of the list of presets.
struct PresetInfo {
  std::string name;
  double peak_gbs;         ///< GB/s
  double idle_latency_ns;  ///< of a read whose bank is closed, with controller and PHY
  std::string source;
};

std::vector<PresetInfo> list_presets();
/// The list as lines of text with aligned columns and a heading.
std::string preset_table();

}  // namespace mxe::dram
