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

/// The options --memory, --memory-plugin and --clock-mhz.
class DramChoice {
 public:
  /// `description`: of --memory. The object must live until parsing has ended.
  void add_to(CLI::App& command, const std::string& description);
  /// Adds --memory-plugin, after add_to().
  void add_plugin_to(CLI::App& command);
  /// The text of --memory, empty if absent.
  const std::string& text() const { return memory_; }
  bool has_clock() const;  ///< --clock-mhz is given
  /// Null without --memory and --memory-plugin. Throws Error for an unknown DRAM or plug-in, an
  /// illegal clock, and --clock-mhz or options of other memories that do not go with it.
  std::optional<dram::Setup> resolve() const;

 private:
  const CLI::App* command_ = nullptr;
  std::string memory_, plugin_;
  double clock_mhz_ = dram::Setup().clock_mhz;
};

/// The options of an engine and its memory: --config, --set, --mem-*, --build, --memory,
/// --memory-plugin and --clock-mhz.
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
  DramChoice dram_;
};

/// Rewrites "--set A=1 B=2" to "--set A=1 --set B=2", so that a file name can follow.
std::vector<std::string> spread_assignments(const std::vector<std::string>& words);

}  // namespace mxe::cli
