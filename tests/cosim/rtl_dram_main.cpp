// SPDX-License-Identifier: Apache-2.0
// Prints the cycles of a job on the RTL with a DRAM:
//
//   mxe_rtl_dram CONFIG DRAM M N K FORMAT_A FORMAT_B [blocking | one_blocking | non_blocking
//   [PAYLOAD_BYTES]]
//
// CONFIG: small, base or large. DRAM: as for mxe::dram::load_config(). The calls at the memory are
// those of mxe::platform::MemoryCalls, by default blocking; with non_blocking a payload is at most
// PAYLOAD_BYTES. Example: mxe_rtl_dram base ddr4-3200 1 4096 4096 mxfp8_e4m3 mxfp4_e2m1
#include <fmt/format.h>

#include <exception>
#include <string>

#include "model/numerics/base/error.h"
#include "model/platform/dram/presets.h"
#include "model/platform/rtl/rtl_engine.h"
#include "tests/cosim/dram_board.h"

namespace {

using namespace mxe;

platform::MemoryCalls calls_of(const std::string& name) {
  if (name == "blocking") return platform::MemoryCalls::blocking;
  if (name == "one_blocking") return platform::MemoryCalls::one_blocking;
  if (name == "non_blocking") return platform::MemoryCalls::non_blocking;
  throw Error("calls '" + name + "'; allowed: blocking, one_blocking, non_blocking");
}

void run(int argc, char** argv) {
  if (argc < 8) {
    throw Error(
        "usage: mxe_rtl_dram CONFIG DRAM M N K FORMAT_A FORMAT_B "
        "[blocking | one_blocking | non_blocking [PAYLOAD_BYTES]]");
  }
  rtl::RtlOptions options;
  if (argc > 8) options.memory_calls = calls_of(argv[8]);
  if (argc > 9) options.payload_bytes = static_cast<unsigned>(std::stoul(argv[9]));
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
