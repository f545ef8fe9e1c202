// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/device/engine_setup.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// Adds --build: designs and programs that are missing or out of date are built, instead of an
/// error that names the command. Does nothing in a program without RTL.
void add_build_option(CLI::App& command);

/// The options that choose an engine and its memory, --config, --set and --mem-*, and --build.
class EngineChoice {
 public:
  /// Adds the options to `command`. The object must live until parsing is over.
  void add_to(CLI::App& command);
  /// What was chosen; throws mx::Error if it is not a legal configuration.
  EngineSetup resolve() const;

 private:
  std::string config_ = "base";
  std::vector<std::string> assignments_;
  MemoryTiming timing_;
  PortLimits ports_;
};

/// The words of a command line with "--set A=1 B=2" written as "--set A=1 --set B=2", so that --set
/// takes several assignments but no file name that follows them.
std::vector<std::string> spread_assignments(const std::vector<std::string>& words);

}  // namespace mxe::cli
