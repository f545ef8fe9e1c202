// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/plugin_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "model/numerics/base/error.h"

namespace mxe::dram {

void PluginLibrary::Unload::operator()(void* handle) const { dlclose(handle); }

PluginLibrary::PluginLibrary(const std::string& text) : text_(text) {
  const std::size_t colon = text.find(':');
  path_ = text.substr(0, colon);
  if (colon != std::string::npos) options_ = text.substr(colon + 1);
  if (path_.empty())
    throw Error(fmt::format("no DRAM plug-in in '{}'; allowed: PATH.so[:OPTIONS]", text));
  // dlopen() searches the system's folders for names without a slash.
  const std::string file = std::filesystem::absolute(path_).string();
  handle_.reset(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle_) {
    const char* reason = dlerror();
    fail(fmt::format("cannot be loaded: {}", reason ? reason : "unknown reason"));
  }
  const void* entry = dlsym(handle_.get(), "mxe_dram_plugin_entry");
  if (!entry) fail("has no symbol mxe_dram_plugin_entry (model/platform/dram/plugin.h)");
  functions_ = static_cast<const mxe_dram_plugin*>(entry);
  const mxe_dram_plugin& f = *functions_;
  if (f.version != MXE_DRAM_PLUGIN_VERSION) {
    fail(fmt::format("has version {} of the interface; allowed: {}", f.version,
                     MXE_DRAM_PLUGIN_VERSION));
  }
  if (!f.create || !f.destroy || !f.submit || !f.advance || !f.take) {
    fail("lacks a function; allowed: no null pointer in mxe_dram_plugin_entry");
  }
}

void PluginLibrary::fail(const std::string& problem) {
  const std::string message = fmt::format("DRAM plug-in {} {}", path_, problem);
  if (failure_.empty()) failure_ = message;
  throw Error(message);
}

void PluginLibrary::rethrow() const {
  if (!failure_.empty()) throw Error(failure_);
}

}  // namespace mxe::dram
