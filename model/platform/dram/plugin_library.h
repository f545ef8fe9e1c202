// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "model/platform/dram/plugin.h"

namespace mxe::dram {

/// A loaded library of plugin.h and the options of its memories; unloads the library at the end.
class PluginLibrary {
 public:
  /// `text`: "PATH[:OPTIONS]"; the path has no colon. Throws Error if the file is missing, is no
  /// plug-in, or has another version.
  explicit PluginLibrary(const std::string& text);

  const mxe_dram_plugin& functions() const { return *functions_; }
  const std::string& text() const { return text_; }
  const std::string& options() const { return options_; }

  /// Throws Error: "DRAM plug-in PATH `problem`".
  [[noreturn]] void fail(const std::string& problem);
  /// Throws the first of these Errors again, which SystemC may have replaced by a report.
  void rethrow() const;

 private:
  struct Unload {
    void operator()(void* handle) const;
  };

  std::string text_, path_, options_;
  std::unique_ptr<void, Unload> handle_;
  const mxe_dram_plugin* functions_ = nullptr;
  std::string failure_;  // first message of fail()
};

}  // namespace mxe::dram
