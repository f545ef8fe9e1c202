// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/engine_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "model/numerics/base/error.h"
#include "model/platform/dram/presets.h"
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

void DramChoice::add_to(CLI::App& command, const std::string& description) {
  command_ = &command;
  command.add_option("--memory", memory_, description)
      ->trigger_on_parse()
      ->each([](const std::string& text) {
        if (text != "list") return;
        std::string table = dram::preset_table();
        table.pop_back();  // CLI11 ends the last line
        throw CLI::CallForVersion(table, 0);
      });
  command.add_option("--clock-mhz", clock_mhz_, "Clock of the engine, with a DRAM: 1 to 10000")
      ->capture_default_str();
}

void DramChoice::add_plugin_to(CLI::App& command) {
  command.add_option("--memory-plugin", plugin_,
                     "DRAM simulator of your own: shared library, with its options after a colon "
                     "(docs/memory.md)");
}

bool DramChoice::has_clock() const { return command_->count("--clock-mhz") != 0; }

std::optional<dram::Setup> DramChoice::resolve() const {
  if (memory_.empty() && plugin_.empty()) {
    if (!has_clock()) return std::nullopt;
    const bool has_plugins = command_->get_option_no_throw("--memory-plugin") != nullptr;
    throw Error(
        fmt::format("--clock-mhz needs --memory{}", has_plugins ? " or --memory-plugin" : ""));
  }
  const std::string name = memory_.empty() ? "--memory-plugin" : "--memory";
  for (const char* other : {"--memory-plugin", "--mem-latency", "--mem-bytes-per-cycle",
                            "--mem-half-duplex", "--mem-jitter"}) {
    const CLI::Option* option = command_->get_option_no_throw(other);
    if (option && option->count() != 0 && name != other) {
      throw Error(fmt::format("{} excludes {}", name, other));
    }
  }
  dram::Setup dram;
  dram.clock_mhz = clock_mhz_;
  dram.validate();
  if (plugin_.empty()) {
    dram.config = dram::load_config(memory_);
  } else {
    dram.plugin = std::make_shared<dram::PluginLibrary>(plugin_);
  }
  return dram;
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
  dram_.add_to(command,
               "DRAM instead of --mem-latency and others: preset or YAML file, with options after "
               "a colon (docs/memory.md); list: prints the presets");
  dram_.add_plugin_to(command);
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
  setup.dram = dram_.resolve();
  if (setup.dram) setup.timing = setup.dram->ideal_timing();
  setup.timing.validate();
  setup.ports.validate();
  return setup;
}

}  // namespace mxe::cli
