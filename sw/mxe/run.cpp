// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/platform/device/device.h"
#include "model/platform/device/engines.h"
#include "model/platform/soc/gdb_server.h"
#include "model/platform/soc/soc.h"
#include "sw/mxe/command.h"
#include "sw/mxe/engine_choice.h"
#include "sw/mxe/option_values.h"
#include "sw/mxe/trace_choice.h"

namespace mxe::cli {
namespace {

// Limits that keep times within 64 bits of picoseconds.
constexpr uint64_t kLongestQuantum = 1'000'000'000, kLongestTimeoutUs = 1'000'000'000'000;

struct RunOptions {
  std::string firmware, on = "model", waves;
  std::vector<std::string> arguments;
  EngineChoice engine;
  TraceChoice trace;
  soc::SocOptions soc;
  std::optional<uint16_t> gdb;
  bool summary = false;
};

device::Target choose_target(const RunOptions& options) {
  const device::Target target = device::parse_target(options.on);
  if (target == device::Target::golden) {
    throw Error("firmware needs registers: cannot run on 'golden' (allowed: model, rtl)");
  }
  options.trace.require_possible(target);
  if (!options.waves.empty() && target != device::Target::rtl)
    throw Error("--waves needs --on rtl");
  return target;
}

std::unique_ptr<soc::GdbServer> open_gdb(const RunOptions& options) {
  if (!options.gdb) return nullptr;
  auto server = std::make_unique<soc::GdbServer>(*options.gdb);
  fmt::print(stderr, "mxe run: waiting for gdb on 127.0.0.1:{}\n", server->port());
  return server;
}

soc::Outcome simulate(const RunOptions& options, device::Target target,
                      const device::EngineSetup& setup) {
  const soc::Program program = parse_elf(options.firmware, numerics::read_file(options.firmware),
                                         soc::Soc::program_memory());
  soc::SocOptions soc_options = options.soc;
  soc_options.timing = setup.timing;
  soc_options.dram = setup.dram;
  if (setup.dram) setup.dram->require_quick("mxe run");
  soc_options.arguments = options.arguments;
  soc_options.arguments.insert(soc_options.arguments.begin(),
                               std::filesystem::path(options.firmware).filename().string());
  const std::unique_ptr<soc::GdbServer> gdb = open_gdb(options);
  soc_options.debugger = gdb.get();
  soc::Soc platform(
      "soc", program, soc_options, [&] { return device::make_engine(target, setup); }, std::cin,
      std::cout);
  try {
    return platform.run();
  } catch (const Error& error) {
    throw harness::DeviceFailure(fmt::format("{}: {}", device::target_name(target), error.what()));
  }
}

void print_summary(const soc::Outcome& outcome) {
  fmt::print(stderr, "mxe run: {} after {} ns and {} register accesses\n",
             outcome.fault ? "fault" : fmt::format("exit code {}", outcome.exit_code),
             outcome.nanoseconds, outcome.accesses);
}

int run(const RunOptions& options) {
  const device::Target target = choose_target(options);
  device::EngineSetup setup = options.engine.resolve();
  setup.waves = options.waves;
  std::optional<engine::ChromeTrace> trace = options.trace.open();
  if (trace) setup.tracer = &*trace;
  const soc::Outcome outcome = simulate(options, target, setup);
  numerics::require_written(setup.waves);
  if (trace) trace->close();
  // Reports lost standard output (a closed pipe) first: the firmware may have ended early for it.
  const std::string lost = numerics::standard_output_error();
  if (!lost.empty()) throw Error(lost);
  if (options.summary) print_summary(outcome);
  if (!outcome.fault) return outcome.exit_code;
  fmt::print(stderr, "mxe run: {}\n", outcome.fault->text());
  return kGuestFault;
}

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", kRunDescription);
  const auto options = std::make_shared<RunOptions>();
  command->add_option("firmware", options->firmware, "ELF file for RV32IMAC or RV64IMAC")
      ->required();
  command
      ->add_option("arguments", options->arguments,
                   "Passed to main; after -- if they begin with a dash")
      ->type_name(kAnyWord);
  command->add_option("--on", options->on, "model or rtl")->capture_default_str();
  options->engine.add_to(*command);
  options->trace.add_to(*command);
  command->add_option("--waves", options->waves,
                      "Record the signals of the RTL in this file, *.fst");
  command
      ->add_option(
          "--quantum", options->soc.quantum,
          "Nanoseconds that the processor may run ahead of the engine; affects only the speed")
      ->check(CLI::Range(uint64_t{1}, kLongestQuantum))
      ->capture_default_str();
  command
      ->add_option("--timeout-us", options->soc.timeout_us,
                   "Simulated microseconds after which the run is a fault (default: none)")
      ->check(CLI::Range(uint64_t{1}, kLongestTimeoutUs));
  command
      ->add_option("--gdb", options->gdb,
                   "Wait for gdb on this port of 127.0.0.1 before the first instruction; 0: any")
      ->check(CLI::Range(0, 65535));
  command->add_flag("--summary", options->summary,
                    "Print exit code, simulated time and register accesses on stderr");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
