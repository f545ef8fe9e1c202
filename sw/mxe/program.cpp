// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <system_error>
#include <systemc>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/platform/device/device.h"
#include "sw/mxe/engine_choice.h"
#include "sw/mxe/option_values.h"
#include "sw/mxe/version.h"

namespace mxe::cli {
namespace {

int check_output(const std::string& who, int status) {
  const std::string problem = numerics::standard_output_error();
  return problem.empty() ? status : fail(who, problem);
}

int run_command(const std::string& who, const Command& command) {
  try {
    return check_output(who, command.run());
  } catch (const std::system_error& error) {
    // The message of an error on standard output has no file name.
    const std::string problem = numerics::standard_output_error();
    return fail(who, problem.empty() ? error.what()
                                     : "standard output: cannot write: " + error.code().message());
  } catch (const harness::DeviceFailure& failure) {
    return fail(who, failure.what(), kDisagreed);
  } catch (const std::bad_alloc&) {
    return fail(who, "not enough memory for arrays of this size");
  } catch (const std::exception& error) {
    return fail(who, error.what());
  }
}

/// Opens descriptors 0 to 2 if they are closed, so that no other file becomes standard output.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

/// CLI11's message, or the unknown word and the allowed subcommands.
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
    std::reverse(words.begin(), words.end());  // CLI11 requires the reverse order
    app.parse(words);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    const int status = app.exit(help, text, text);
    std::fputs(text.str().c_str(), stdout);
    return check_output("mxe", status);
  } catch (const CLI::ParseError& error) {
    const auto parsed = app.get_subcommands();
    const std::string who = parsed.empty() ? "mxe" : "mxe " + parsed.front()->get_name();
    return fail(who, usage_error(app, error, argc, argv));
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return run_command("mxe " + command.app->get_name(), command);
  }
  return kBadInput;
}

int start_program(int argc, char** argv) {
  hold_standard_descriptors();
  // Writes to a closed pipe or beyond a size limit then fail with errors, which are reported.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return sc_core::sc_elab_and_sim(argc, argv);
}

}  // namespace mxe::cli
