#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/numerics/error.h"
#include "tb/rtl/rtl_top.h"

namespace mxe {

// Defined in the Verilated libraries (verilated_factory.cpp). The build lists them in
// rtl_library.inc.
#define MXE_RTL(config, waves, name) \
  std::unique_ptr<RtlTop> make_##name(const Params&, const std::string&);
#include "rtl_library.inc"
#undef MXE_RTL

namespace {

/// A design in this program.
struct Built {
  std::string config;
  bool waves;
  std::unique_ptr<RtlTop> (*make)(const Params&, const std::string&);
};

const std::vector<Built>& built() {
  static const std::vector<Built> kBuilt = {
#define MXE_RTL(config, waves, name) {#config, waves, make_##name},
#include "rtl_library.inc"
#undef MXE_RTL
  };
  return kBuilt;
}

const Built* find_built(const Params& params, bool waves) {
  const auto found = std::find_if(built().begin(), built().end(), [&](const Built& b) {
    return b.waves == waves && b.config == params.config_name();
  });
  return found == built().end() ? nullptr : &*found;
}

/// "small, base and large"
std::string configurations(bool waves) {
  std::vector<std::string> names;
  for (const Built& b : built()) {
    if (b.waves == waves) names.push_back(b.config);
  }
  if (names.empty()) return "none";
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace

void require_rtl(const Params& params, bool waves) {
  if (find_built(params, waves)) return;
  if (find_built(params, false)) {
    throw mx::Error(fmt::format("the RTL of configuration {} has no waves, only {} have",
                                params.config_name(), configurations(true)));
  }
  throw mx::Error(fmt::format("the RTL was built for the configurations {}, not for {}: {}",
                              configurations(false), params.config_name(), params.to_string()));
}

std::unique_ptr<RtlTop> make_rtl_top(const Params& params, const std::string& waves) {
  require_rtl(params, !waves.empty());
  return find_built(params, !waves.empty())->make(params, waves);
}

}  // namespace mxe
