// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/mxe/command.h"

/// What SystemC calls, declared as it does.
extern "C" int sc_main(int argc, char** argv);

namespace mxe::cli {

using AddCommand = Command (*)(CLI::App&);

/// What sc_main of a program does: runs the subcommand that the arguments name, one of those that
/// are added. Returns the status of the process.
int run_program(int argc, char** argv, const std::vector<AddCommand>& add_commands);

/// What main of a program does. SystemC starts its own way: sc_elab_and_sim prints a copyright
/// message unless told not to, sets up the simulator and calls sc_main. The standard (IEEE 1666,
/// "sc_elab_and_sim") lets a program have a main of its own, which takes precedence over the main
/// that the SystemC library brings along.
int start_program(int argc, char** argv);

}  // namespace mxe::cli
