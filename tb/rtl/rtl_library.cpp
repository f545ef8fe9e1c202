// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "model/numerics/error.h"
#include "tb/rtl/plugin_loader.h"
#include "tb/rtl/rtl_top.h"

namespace mxe {
namespace {

namespace fs = std::filesystem;

/// A design that the build can make (rtl_library.inc).
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

/// "small, base and large"
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

fs::path program_directory() { return fs::read_symlink("/proc/self/exe").parent_path(); }

/// Where designs may lie, in this order: $MXE_RTL_PATH, beside the program as the build leaves
/// them, and where they are installed.
std::vector<fs::path> library_directories() {
  std::vector<fs::path> directories;
  if (const char* path = std::getenv("MXE_RTL_PATH")) directories.emplace_back(path);
  const fs::path program = program_directory();
  directories.push_back(program / "rtl");
  directories.push_back(program.parent_path() / "lib" / "mxe");
  return directories;
}

/// The design's library, or an empty path.
fs::path find_library(const Design& design) {
  for (const fs::path& directory : library_directories()) {
    fs::path library = directory / (design.target() + ".so");
    if (fs::exists(library)) return library;
  }
  return {};
}

/// Builds the design, if the program lies where CMake built it. One process at a time does.
void build_library(const Design& design) {
  const fs::path build = program_directory();
  if (!fs::exists(build / "CMakeCache.txt")) return;
  fmt::print(stderr, "building the RTL of configuration {}{}, which happens once\n", design.config,
             design.waves ? " with waves" : "");
  const std::string command =
      fmt::format("flock '{0}/rtl.lock' cmake --build '{0}' --target {1} 1>&2", build.string(),
                  design.target());
  if (std::system(command.c_str()) != 0) {
    throw mx::Error(fmt::format("the RTL of configuration {} could not be built", design.config));
  }
}

}  // namespace

void require_rtl(const Params& params, bool waves) {
  if (find_design(params, waves)) return;
  if (find_design(params, false)) {
    throw mx::Error(fmt::format("the RTL of configuration {} has no waves, only {} have",
                                params.config_name(), configurations(true)));
  }
  throw mx::Error(fmt::format("the RTL was built for the configurations {}, not for {}: {}",
                              configurations(false), params.config_name(), params.to_string()));
}

std::unique_ptr<RtlTop> make_rtl_top(const Params& params, const std::string& waves) {
  require_rtl(params, !waves.empty());
  const Design& design = *find_design(params, !waves.empty());
  fs::path library = find_library(design);
  if (library.empty()) {
    build_library(design);
    library = find_library(design);
  }
  if (library.empty()) {
    std::string places;
    for (const fs::path& directory : library_directories()) places += " " + directory.string();
    throw mx::Error(fmt::format("{0}.so is in none of:{1} (the build's target {0} makes it)",
                                design.target(), places));
  }
  return load_engine_plugin(library).make(params, waves);
}

}  // namespace mxe
