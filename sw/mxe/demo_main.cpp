// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/program.h"

int sc_main(int argc, char** argv) {
  return mxe::cli::run_program(argc, argv, {mxe::cli::add_demo});
}

int main(int argc, char** argv) { return mxe::cli::start_program(argc, argv); }
