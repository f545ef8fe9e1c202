// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/platform/device/engine_setup.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// Adds --build: builds missing or outdated designs and programs instead of reporting an error.
/// Does nothing in a program without RTL.
void add_build_option(CLI::App& command);

/// The options of an engine and its memory: --config, --set, --mem-* and --build.
class EngineChoice {
 public:
  /// Adds the options to `command`. The object must live until parsing has ended.
  void add_to(CLI::App& command);
  /// The parsed options. Throws Error for an illegal configuration.
  device::EngineSetup resolve() const;

 private:
  std::string config_ = "base";
  std::vector<std::string> assignments_;
  engine::MemoryTiming timing_;
  engine::PortLimits ports_;
};

/// Rewrites "--set A=1 B=2" to "--set A=1 --set B=2", so that --set accepts several assignments but
/// not a file name after them.
std::vector<std::string> spread_assignments(const std::vector<std::string>& words);

}  // namespace mxe::cli
