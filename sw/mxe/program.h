// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/mxe/command.h"

extern "C" int sc_main(int argc, char** argv);

namespace mxe::cli {

using AddCommand = Command (*)(CLI::App&);

/// Body of sc_main. Returns the exit status.
int run_program(int argc, char** argv, const std::vector<AddCommand>& add_commands);

/// Body of main. Starts sc_main through sc_elab_and_sim (IEEE 1666), without the copyright message.
int start_program(int argc, char** argv);

}  // namespace mxe::cli
