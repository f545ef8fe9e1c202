// SPDX-License-Identifier: Apache-2.0
// The program mxe.
//
// SystemC starts its own way: sc_elab_and_sim prints a copyright message unless told not to, sets
// up the simulator and calls sc_main. The standard (IEEE 1666, "sc_elab_and_sim") lets a program
// have a main of its own; this one takes precedence over the main that the SystemC library brings
// along.

#include <fmt/format.h>

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
#include "sw/mxe/command.h"
#include "sw/mxe/engine_choice.h"
#include "sw/mxe/version.h"

namespace mxe::cli {
namespace {

/// Reports a failure in one line on stderr.
int fail(const std::string& who, std::string message, ExitCode code = kBadInput) {
  show_progress("");
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  fmt::print(stderr, "{}: {}\n", who, message);
  return code;
}

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

int run(int argc, char** argv) {
  CLI::App app(
      "MXE: an OCP Microscaling matrix-multiply engine as a bit-exact reference, a model and "
      "RTL",
      "mxe");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text,
                       "Version, commit, compiler, SystemC and Verilator");
  std::vector<Command> commands{add_demo(app),       add_formats(app), add_quantize(app),
                                add_dequantize(app), add_compare(app), add_generate(app),
                                add_matmul(app),     add_estimate(app)};
#ifdef MXE_WITH_RTL
  commands.push_back(add_cosim(app));
#endif
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

}  // namespace
}  // namespace mxe::cli

int sc_main(int argc, char** argv) { return mxe::cli::run(argc, argv); }

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
