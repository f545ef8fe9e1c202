// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/plugin_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "model/numerics/error.h"

namespace mxe {
namespace {

namespace fs = std::filesystem;

const char* why_not_loaded() {
  const char* reason = dlerror();
  return reason ? reason : "unknown reason";
}

fs::path program_directory() { return fs::read_symlink("/proc/self/exe").parent_path(); }

/// Where designs may lie, in this order.
std::vector<fs::path> design_directories() {
  std::vector<fs::path> directories;
  if (const char* path = std::getenv("MXE_RTL_PATH")) directories.emplace_back(path);
  const fs::path program = program_directory();
  directories.push_back(program / "rtl");
  directories.push_back(program.parent_path() / "lib" / "mxe");
  return directories;
}

/// The design's library, or an empty path.
fs::path find_design(const std::string& name) {
  for (const fs::path& directory : design_directories()) {
    fs::path library = directory / (name + ".so");
    if (fs::exists(library)) return library;
  }
  return {};
}

/// Builds the design, if the program lies where CMake built it. One process at a time does.
void build_design(const std::string& name) {
  const fs::path build = program_directory();
  if (!fs::exists(build / "CMakeCache.txt")) return;
  fmt::print(stderr, "building {}, which happens once\n", name);
  const std::string command = fmt::format(
      "flock '{0}/rtl.lock' cmake --build '{0}' --target {1} 1>&2", build.string(), name);
  if (std::system(command.c_str()) != 0) throw mx::Error(name + " could not be built");
}

}  // namespace

const EnginePlugin& load_engine_plugin(const std::string& library) {
  // A name without a slash would be looked for in the system's directories.
  const std::string path = fs::absolute(library).string();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw mx::Error(fmt::format("cannot load the engine: {}", why_not_loaded()));
  const auto* plugin = static_cast<const EnginePlugin*>(dlsym(handle, "mxe_engine"));
  if (!plugin) {
    throw mx::Error(
        fmt::format("'{}' is no engine: mxe_engine() of MxeVerilate.cmake makes one", library));
  }
  if (std::string(plugin->interface) != MXE_ENGINE_INTERFACE_NAME) {
    throw mx::Error(fmt::format(
        "'{}' was built for another version of MXE or with another compiler (it has {}, this "
        "program {}): build both from one checkout",
        library, plugin->interface, MXE_ENGINE_INTERFACE_NAME));
  }
  return *plugin;
}

const EnginePlugin& load_design(const std::string& name) {
  fs::path library = find_design(name);
  if (library.empty()) {
    build_design(name);
    library = find_design(name);
  }
  if (library.empty()) {
    std::string places;
    for (const fs::path& directory : design_directories()) places += " " + directory.string();
    throw mx::Error(
        fmt::format("{0}.so is in none of:{1} (the build's target {0} makes it)", name, places));
  }
  return load_engine_plugin(library);
}

std::function<std::unique_ptr<RtlTop>(const Params&, const std::string&)> design_factory(
    const std::string& name) {
  return [name](const Params& params, const std::string& waves) {
    return load_design(name).make(params, waves);
  };
}

}  // namespace mxe
