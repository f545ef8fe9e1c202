// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/mxe/command.h"

extern "C" int sc_main(int argc, char** argv);

namespace mxe::cli {

using AddCommand = Command (*)(CLI::App&);

/// Body of sc_main: runs the subcommand in the arguments. Returns the exit status.
int run_program(int argc, char** argv, const std::vector<AddCommand>& add_commands);

/// Body of main: starts sc_elab_and_sim, which calls sc_main, without its copyright message. IEEE
/// 1666
/// ("sc_elab_and_sim") allows a program to define main instead of using SystemC's.
int start_program(int argc, char** argv);

}  // namespace mxe::cli
