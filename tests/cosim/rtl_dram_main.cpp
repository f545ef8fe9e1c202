// SPDX-License-Identifier: Apache-2.0
// Prints the cycles of a job on the RTL with a DRAM:
//
//   mxe_rtl_dram CONFIG DRAM M N K FORMAT_A FORMAT_B [one]
//
// CONFIG: small, base or large. DRAM: as for mxe::dram::load_config(). one: one burst at a time.
// Example: mxe_rtl_dram base ddr4-3200 1 4096 4096 mxfp8_e4m3 mxfp4_e2m1
#include <fmt/format.h>

#include <exception>
#include <string>

#include "model/numerics/base/error.h"
#include "model/platform/dram/presets.h"
#include "model/platform/rtl/rtl_engine.h"
#include "tests/cosim/dram_board.h"

namespace {

using namespace mxe;

void run(int argc, char** argv) {
  if (argc < 8) throw Error("usage: mxe_rtl_dram CONFIG DRAM M N K FORMAT_A FORMAT_B [one]");
  rtl::RtlOptions options;
  options.overlaps_bursts = argc == 8;
  job::JobShape shape;
  shape.m = std::stoul(argv[3]);
  shape.n = std::stoul(argv[4]);
  shape.k = std::stoul(argv[5]);
  shape.format_a = numerics::parse_format(argv[6]);
  shape.format_b = numerics::parse_format(argv[7]);
  test::DramBoard board("board", dram::load_config(argv[2]), [&] {
    return std::make_unique<rtl::RtlEngine>("engine", Params::named(argv[1]), options);
  });
  const device::DeviceResult result = board.run(shape);
  const dram::Statistics counts = board.dram.dram().statistics();
  fmt::print("{} cycles; DRAM: {} reads, {} writes, {} row hits\n", result.cycles,
             counts.of(dram::Command::read), counts.of(dram::Command::write), counts.row_hits);
}

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
