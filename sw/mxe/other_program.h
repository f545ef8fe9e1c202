// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/mxe/command.h"

namespace mxe::cli {

// Three subcommands are separate programs, so that a build of mxe does not need their libraries:
// mxe-cosim (co-simulation takes a quarter of the compilation), mxe-run (RISC-V emulator) and
// mxe-linux.

/// Adds these subcommands to the help of mxe.
Command list_cosim(CLI::App& app);
Command list_run(CLI::App& app);
Command list_linux(CLI::App& app);

/// The program for the arguments of mxe, or null if it is mxe itself.
const char* asks_for_program(int argc, const char* const* argv);

/// Replaces this process by `program`. With --build in the arguments, builds a missing program
/// first. Returns the exit status only if the program does not exist.
int run_other_program(const char* program, char** argv);

}  // namespace mxe::cli
