// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/mxe/command.h"

namespace mxe::cli {

// `mxe cosim` is a program of its own, mxe-cosim beside mxe: co-simulation and regression take a
// quarter of the compilation, and whoever runs another subcommand need not wait for it.

/// Shows the subcommand in the help of mxe.
Command list_cosim(CLI::App& app);

/// Whether the arguments of mxe are for mxe-cosim.
bool asks_for_cosim(int argc, const char* const* argv);

/// Replaces this process by mxe-cosim, which is built first if it is missing in a build folder.
/// Returns, with the status of the process, only if there is no such program.
int run_cosim_program(char** argv);

}  // namespace mxe::cli
