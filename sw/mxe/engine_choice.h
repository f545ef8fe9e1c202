// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/platform/device/engine_setup.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// Adds --build, which builds missing or outdated designs; nothing in a program without RTL.
void add_build_option(CLI::App& command);

/// The options of an engine and its memory: --config, --set, --mem-*, --build, --memory and
/// --clock-mhz.
class EngineChoice {
 public:
  /// The object must live until parsing has ended.
  void add_to(CLI::App& command);
  /// Adds --memory and --clock-mhz, after add_to().
  void add_dram_to(CLI::App& command);
  /// Throws Error for an illegal configuration.
  device::EngineSetup resolve() const;

 private:
  std::string config_ = "base";
  std::vector<std::string> assignments_;
  engine::MemoryTiming timing_;
  engine::PortLimits ports_;
  std::optional<platform::DramSetup> resolve_dram() const;

  const CLI::App* command_ = nullptr;  // with --memory
  std::string memory_;                 // empty: no DRAM
  double clock_mhz_ = platform::DramSetup().clock_mhz;
};

/// Rewrites "--set A=1 B=2" to "--set A=1 --set B=2", so that a file name can follow.
std::vector<std::string> spread_assignments(const std::vector<std::string>& words);

}  // namespace mxe::cli
