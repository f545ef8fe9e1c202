// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/cosim_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>

#include "model/numerics/error.h"
#include "model/numerics/files.h"
#include "sw/mxe/program.h"
#include "tb/rtl/build_on_demand.h"

namespace mxe::cli {
namespace {

constexpr const char* kProgram = "mxe-cosim";

/// Does not return.
void become_program(char** argv) {
  const std::filesystem::path program = std::filesystem::path(mx::program_directory()) / kProgram;
  if (!std::filesystem::exists(program)) build_on_demand(kProgram);
  execv(program.c_str(), argv);
  throw mx::Error(fmt::format("cannot run {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace

Command list_cosim(CLI::App& app) {
  return {app.add_subcommand("cosim", kCosimDescription), [] { return kBadInput; }};
}

bool asks_for_cosim(int argc, const char* const* argv) {
  return argc > 1 && std::string(argv[1]) == "cosim";
}

int run_cosim_program(char** argv) {
  try {
    become_program(argv);
  } catch (const std::exception& error) {
    return fail("mxe cosim", error.what());
  }
  return kBadInput;
}

}  // namespace mxe::cli
