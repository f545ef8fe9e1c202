// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/engine_choice.h"

#include <CLI/CLI.hpp>
#ifdef MXE_WITH_RTL
#include "model/platform/rtl/build_target.h"
#include "sw/mxe/option_values.h"
#endif

namespace mxe::cli {

void add_build_option([[maybe_unused]] CLI::App& command) {
#ifdef MXE_WITH_RTL
  command.add_flag_function(
      "--build", [](std::size_t) { rtl::allow_building(); },
      "Build designs of the RTL that are missing or older than its sources, with CMake");
#endif
}

void EngineChoice::add_to(CLI::App& command) {
  command.add_option("--config", config_, "small, base, large or a YAML file of parameters")
      ->capture_default_str();
  command
      .add_option("--set", assignments_, "NAME=VALUE ...: change parameters of the configuration")
      ->allow_extra_args(false);
  command.add_option("--mem-latency", timing_.latency, "Cycles from a request to its first beat")
      ->check(fits<unsigned>())
      ->capture_default_str();
  command.add_option("--mem-bytes-per-cycle", timing_.bytes_per_cycle,
                     "Memory bandwidth per direction (default: the width of the engine's port)");
  command.add_flag("--mem-half-duplex", timing_.half_duplex,
                   "Reads and writes share the memory's bandwidth (DDR, LPDDR)");
  command.add_option("--mem-jitter", timing_.jitter_seed,
                     "Seed of a random extra latency (default: none)");
  command
      .add_option("--mem-outstanding-reads", ports_.reads,
                  "Maximum number of outstanding read bursts")
      ->check(fits<unsigned>())
      ->capture_default_str();
  command
      .add_option("--mem-outstanding-writes", ports_.writes,
                  "Maximum number of outstanding write bursts")
      ->check(fits<unsigned>())
      ->capture_default_str();
  add_build_option(command);
}

std::vector<std::string> spread_assignments(const std::vector<std::string>& words) {
  std::vector<std::string> spread;
  bool assigning = false, options = true;
  for (const std::string& word : words) {
    options = options && word != "--";  // words after -- belong to another program
    const bool assignment = word.find('=') != std::string::npos && word[0] != '-';
    const bool first = !spread.empty() && spread.back() == "--set";
    if (options && assigning && assignment && !first) spread.push_back("--set");
    assigning = word == "--set" || (assigning && assignment);
    spread.push_back(word);
  }
  return spread;
}

device::EngineSetup EngineChoice::resolve() const {
  device::EngineSetup setup;
  setup.params = Params::load(config_);
  setup.timing = timing_;
  setup.ports = ports_;
  for (const std::string& assignment : assignments_) setup.params.set(assignment);
  setup.params.validate();
  setup.timing.validate();
  setup.ports.validate();
  return setup;
}

}  // namespace mxe::cli
