// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/plugin_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "model/numerics/error.h"

namespace mxe {
namespace {

const char* why_not_loaded() {
  const char* reason = dlerror();
  return reason ? reason : "unknown reason";
}

}  // namespace

const EnginePlugin& load_engine_plugin(const std::string& library) {
  // A name without a slash would be looked for in the system's directories.
  const std::string path = std::filesystem::absolute(library).string();
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

}  // namespace mxe
