// SPDX-License-Identifier: Apache-2.0
#include "model/platform/rtl/plugin_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/platform/rtl/build_target.h"
#include "model/platform/rtl/design_sources.h"

namespace mxe::rtl {
namespace {

namespace fs = std::filesystem;

const char* why_not_loaded() {
  const char* reason = dlerror();
  return reason ? reason : "unknown reason";
}

/// Folders searched for designs, in this order; the last is the installed one.
std::vector<fs::path> design_directories() {
  std::vector<fs::path> directories;
  if (const char* path = std::getenv("MXE_RTL_PATH")) directories.emplace_back(path);
  const fs::path program = numerics::program_directory();
  directories.push_back(program / "rtl");
  directories.push_back((program / MXE_INSTALLED_RTL).lexically_normal());
  return directories;
}

/// Path that the dynamic linker finds, or "". Other projects have the designs in their RUNPATH.
fs::path ask_linker(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return {};
  link_map* map = nullptr;
  fs::path path;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) path = map->l_name;
  dlclose(handle);  // load_design() checks the sources of a library that is not loaded yet
  return path;
}

fs::path find_design(const std::string& name) {
  for (const fs::path& directory : design_directories()) {
    fs::path library = directory / (name + ".so");
    if (fs::exists(library)) return library;
  }
  return ask_linker(name + ".so");
}

/// True if this process has loaded the library; later edits of its sources have no effect on it.
bool is_loaded(const fs::path& library) {
  void* handle = dlopen(fs::absolute(library).c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle) dlclose(handle);
  return handle != nullptr;
}

std::string command_for(const std::string& name) {
  const std::string prefix = "mxe_rtl_";
  const std::string design = name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
  const fs::path folder = build_folder();
  if (folder.empty()) return fmt::format("in a checkout, `scripts/design {}` builds it", design);
  return fmt::format(
      "`scripts/design --build-folder {} {}` builds it, and so does the option --build",
      folder.string(), design);
}

[[noreturn]] void refuse_missing(const std::string& name) {
  std::string places;
  for (const fs::path& directory : design_directories()) places += " " + directory.string();
  throw Error(fmt::format("the design {} is not installed: {}.so is in none of{}; {}", name, name,
                          places, command_for(name)));
}

const EnginePlugin& open_plugin(const std::string& library) {
  // dlopen() searches the system's folders for names without a slash.
  const std::string path = fs::absolute(library).string();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw Error(fmt::format("cannot load the engine: {}", why_not_loaded()));
  const auto* plugin = static_cast<const EnginePlugin*>(dlsym(handle, "mxe_engine"));
  if (!plugin) {
    throw Error(
        fmt::format("'{}' is no engine: mxe_engine() of MxeVerilate.cmake makes one", library));
  }
  if (std::string(plugin->interface) != MXE_ENGINE_INTERFACE_NAME) {
    throw Error(fmt::format(
        "'{}' was built for another version of MXE or with another compiler (it has {}, this "
        "program {}): build both from one checkout",
        library, plugin->interface, MXE_ENGINE_INTERFACE_NAME));
  }
  return *plugin;
}

}  // namespace

const EnginePlugin& load_engine_plugin(const std::string& library) {
  const std::string changed = changed_source(library);
  if (!changed.empty()) {
    throw Error(fmt::format(
        "'{}' was built before {} was edited: build it again, with `cmake --build` of its folder",
        library, changed));
  }
  return open_plugin(library);
}

const EnginePlugin& load_design(const std::string& name) {
  fs::path library = find_design(name);
  if (!library.empty() && is_loaded(library)) return open_plugin(library.string());
  std::string changed = library.empty() ? "" : changed_source(library.string());
  if ((library.empty() || !changed.empty()) && may_build() && !build_folder().empty()) {
    build_target(name);
    library = find_design(name);
    changed = library.empty() ? "" : changed_source(library.string());
  }
  if (library.empty()) refuse_missing(name);
  if (!changed.empty()) {
    throw Error(fmt::format("the design {} was built before {} was edited; {}", library.string(),
                            changed, command_for(name)));
  }
  return open_plugin(library.string());
}

void require_same_sources(const std::string& name, const std::string& other) {
  if (std::strcmp(load_design(name).sources, load_design(other).sources) == 0) return;
  throw Error(fmt::format("the designs {} and {} were built from different RTL; {}", name, other,
                          command_for(name)));
}

std::function<std::unique_ptr<RtlTop>(const Params&, const std::string&)> design_factory(
    const std::string& name) {
  return [name](const Params& params, const std::string& waves) {
    return load_design(name).make(params, waves);
  };
}

}  // namespace mxe::rtl
