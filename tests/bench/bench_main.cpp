// SPDX-License-Identifier: Apache-2.0
// The SystemC library has main(), which calls this function.
#include <benchmark/benchmark.h>

#include <systemc>

#include "tests/bench/engine_bench.h"

int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  mxe::test::add_engine_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  mxe::test::print_speed_table();
  return 0;
}
