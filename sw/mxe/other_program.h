// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/mxe/command.h"

namespace mxe::cli {

// Some subcommands are programs of their own beside mxe: `mxe cosim` is mxe-cosim, because
// co-simulation and regression take a quarter of the compilation, `mxe run` is mxe-run, because
// nothing else needs the RISC-V emulator, `mxe linux` is mxe-linux, because nothing else starts
// Linux. Whoever runs another subcommand need not wait for them.

/// Shows these subcommands in the help of mxe.
Command list_cosim(CLI::App& app);
Command list_run(CLI::App& app);
Command list_linux(CLI::App& app);

/// The program that the arguments of mxe are for, or null if that is mxe itself.
const char* asks_for_program(int argc, const char* const* argv);

/// Replaces this process by `program`. One that is missing in a build folder is built first if the
/// arguments have --build. Returns, with the status of the process, only if there is no such
/// program.
int run_other_program(const char* program, char** argv);

}  // namespace mxe::cli
