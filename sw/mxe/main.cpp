// SPDX-License-Identifier: Apache-2.0
// The program mxe: every subcommand but cosim, which it leaves to mxe-cosim.
#include "sw/mxe/cosim_program.h"
#include "sw/mxe/program.h"

int sc_main(int argc, char** argv) {
  using namespace mxe::cli;
#ifdef MXE_WITH_RTL
  if (asks_for_cosim(argc, argv)) return run_cosim_program(argv);
#endif
  return run_program(argc, argv,
                     {add_demo, add_formats, add_quantize, add_dequantize, add_compare, add_explain,
                      add_diff, add_generate, add_matmul, add_estimate, add_report,
#ifdef MXE_WITH_RTL
                      list_cosim
#endif
                     });
}

int main(int argc, char** argv) { return mxe::cli::start_program(argc, argv); }
