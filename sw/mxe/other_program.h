// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/mxe/command.h"

namespace mxe::cli {

// mxe-cosim, mxe-run and mxe-linux are separate programs: mxe does not need their libraries.

Command list_cosim(CLI::App& app);
Command list_run(CLI::App& app);
Command list_linux(CLI::App& app);

/// The program that runs the subcommand in the arguments; null for mxe itself.
const char* asks_for_program(int argc, const char* const* argv);

/// Replaces this process by `program`; --build in the arguments builds it if it is missing. Returns
/// an exit status only if it cannot start.
int run_other_program(const char* program, char** argv);

}  // namespace mxe::cli
