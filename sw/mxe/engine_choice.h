// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/platform/device/engine_setup.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// Adds --build, which builds missing or outdated designs; nothing in a program without RTL.
void add_build_option(CLI::App& command);

/// The options of an engine and its memory: --config, --set, --mem-* and --build.
class EngineChoice {
 public:
  /// The object must live until parsing has ended.
  void add_to(CLI::App& command);
  /// Throws Error for an illegal configuration.
  device::EngineSetup resolve() const;

 private:
  std::string config_ = "base";
  std::vector<std::string> assignments_;
  engine::MemoryTiming timing_;
  engine::PortLimits ports_;
};

/// Rewrites "--set A=1 B=2" to "--set A=1 --set B=2", so that a file name can follow.
std::vector<std::string> spread_assignments(const std::vector<std::string>& words);

}  // namespace mxe::cli
