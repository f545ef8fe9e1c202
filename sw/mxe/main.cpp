// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/other_program.h"
#include "sw/mxe/program.h"

int sc_main(int argc, char** argv) {
  using namespace mxe::cli;
  if (const char* program = asks_for_program(argc, argv)) return run_other_program(program, argv);
  return run_program(
      argc, argv,
      {add_demo, add_formats, add_quantize, add_dequantize, add_compare, add_explain, add_diff,
       add_generate, add_matmul, add_estimate, add_explore, add_report, list_linux,
#ifdef MXE_WITH_SOC
       list_run,
#endif
#ifdef MXE_WITH_RTL
       list_cosim
#endif
      });
}

int main(int argc, char** argv) { return mxe::cli::start_program(argc, argv); }
