// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <systemc>
#include <vector>

#include "model/numerics/error.h"
#include "sw/device/device.h"
#include "sw/mxe/engine_choice.h"
#include "sw/mxe/option_values.h"
#include "sw/mxe/version.h"

namespace mxe::cli {
namespace {

int run_command(const Command& command) {
  const std::string who = "mxe " + command.app->get_name();
  try {
    return command.run();
  } catch (const DeviceFailure& failure) {
    return fail(who, failure.what(), kDisagreed);
  } catch (const std::bad_alloc&) {
    return fail(who, "not enough memory for arrays of this size");
  } catch (const std::exception& error) {
    return fail(who, error.what());
  }
}

/// CLI11's message, or a better one where it does not look at the unknown word.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (!app.get_subcommands().empty()) return fmt::format("{} (see --help)", error.what());
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  const std::string allowed = fmt::format("{}", fmt::join(names, ", "));
  if (argc < 2) return fmt::format("a subcommand is needed (allowed: {})", allowed);
  return fmt::format("unknown subcommand or option '{}' (allowed: {})", argv[1], allowed);
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<AddCommand>& add_commands) {
  CLI::App app(
      "MXE: an OCP Microscaling matrix-multiply engine as a bit-exact reference, a model and "
      "RTL",
      "mxe");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text,
                       "Version, commit, compiler, SystemC and Verilator");
  std::vector<Command> commands;
  for (const AddCommand& add : add_commands) commands.push_back(add(app));
  refuse_bad_values(app);
  try {
    std::vector<std::string> words = spread_assignments({argv + 1, argv + argc});
    std::reverse(words.begin(), words.end());  // the order CLI11 wants
    app.parse(words);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    const auto parsed = app.get_subcommands();
    const std::string who = parsed.empty() ? "mxe" : "mxe " + parsed.front()->get_name();
    return fail(who, usage_error(app, error, argc, argv));
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return run_command(command);
  }
  return kBadInput;
}

int start_program(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}

}  // namespace mxe::cli
