// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/rtl/plugin_loader.h"
#include "model/platform/rtl/rtl_top.h"

namespace mxe::rtl {
namespace {

struct Design {
  std::string config;
  bool waves;

  std::string target() const { return "mxe_rtl_" + config + (waves ? "_fst" : ""); }
};

const std::vector<Design>& designs() {
  static const std::vector<Design> kDesigns = {
#define MXE_RTL(config, waves) {#config, waves},
#include "rtl_library.inc"
#undef MXE_RTL
  };
  return kDesigns;
}

const Design* find_design(const Params& params, bool waves) {
  const auto found = std::find_if(designs().begin(), designs().end(), [&](const Design& d) {
    return d.waves == waves && d.config == params.config_name();
  });
  return found == designs().end() ? nullptr : &*found;
}

/// Example: "small, base and large".
std::string configurations(bool waves) {
  std::vector<std::string> names;
  for (const Design& d : designs()) {
    if (d.waves == waves) names.push_back(d.config);
  }
  if (names.empty()) return "none";
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace

void require_rtl(const Params& params, bool waves) {
  if (find_design(params, waves)) return;
  if (find_design(params, false)) {
    throw Error(fmt::format("the RTL of configuration {} has no waves, only {} have",
                            params.config_name(), configurations(true)));
  }
  throw Error(fmt::format("the RTL was built for the configurations {}, not for {}: {}",
                          configurations(false), params.config_name(), params.to_string()));
}

void require_current_rtl(const Params& params, bool waves) {
  require_rtl(params, waves);
  const std::string name = find_design(params, waves)->target();
  load_design(name);
  if (waves) require_same_sources(name, find_design(params, false)->target());
}

std::unique_ptr<RtlTop> make_rtl_top(const Params& params, const std::string& waves) {
  require_rtl(params, !waves.empty());
  return load_design(find_design(params, !waves.empty())->target()).make(params, waves);
}

std::unique_ptr<RtlTop> make_watched_rtl_top(const Params& params, const std::string& waves) {
  if (params != Params::named("small") || !waves.empty()) {
    throw Error("all values are shown in the configuration small only, and without waves");
  }
  require_same_sources("mxe_rtl_small_values", "mxe_rtl_small");
  return load_design("mxe_rtl_small_values").make(params, waves);
}

}  // namespace mxe::rtl
