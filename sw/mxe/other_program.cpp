// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/other_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "sw/mxe/program.h"
#ifdef MXE_WITH_RTL
#include "model/platform/rtl/build_target.h"
#endif

namespace mxe::cli {
namespace {

#ifdef MXE_WITH_RTL
bool has_build_option(char** argv) {
  for (; *argv && std::strcmp(*argv, "--") != 0; argv++) {
    if (std::strcmp(*argv, "--build") == 0) return true;
  }
  return false;
}

/// Builds the missing program with --build, else throws Error with the command that builds it.
void require_program(const char* name, char** argv) {
  if (has_build_option(argv)) return rtl::build_target(name);
  if (rtl::build_folder().empty()) throw Error(fmt::format("{} is not installed", name));
  throw Error(fmt::format("{} is not built: `{}` builds it, and so does the option --build", name,
                          rtl::build_command(name)));
}
#endif

void become_program(const char* name, char** argv) {
  const std::filesystem::path program = std::filesystem::path(numerics::program_directory()) / name;
#ifdef MXE_WITH_RTL
  if (!std::filesystem::exists(program)) require_program(name, argv);
#endif
  execv(program.c_str(), argv);
  throw Error(fmt::format("cannot run {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace

#ifdef MXE_WITH_RTL
Command list_cosim(CLI::App& app) {
  return {app.add_subcommand("cosim", kCosimDescription), [] { return kBadInput; }};
}
#endif

#ifdef MXE_WITH_SOC
Command list_run(CLI::App& app) {
  return {app.add_subcommand("run", kRunDescription), [] { return kBadInput; }};
}
#endif

Command list_linux(CLI::App& app) {
  return {app.add_subcommand("linux", kLinuxDescription), [] { return kBadInput; }};
}

const char* asks_for_program(int argc, const char* const* argv) {
  const std::string subcommand = argc > 1 ? argv[1] : "";
#ifdef MXE_WITH_RTL
  if (subcommand == "cosim") return "mxe-cosim";
#endif
#ifdef MXE_WITH_SOC
  if (subcommand == "run") return "mxe-run";
#endif
  if (subcommand == "linux") return "mxe-linux";
  return nullptr;
}

int run_other_program(const char* program, char** argv) {
  try {
    become_program(program, argv);
  } catch (const std::exception& error) {
    return fail(fmt::format("mxe {}", argv[1]), error.what());
  }
  return kBadInput;
}

}  // namespace mxe::cli
