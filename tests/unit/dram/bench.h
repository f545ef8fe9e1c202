// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/platform/dram/address_map.h"
#include "model/platform/dram/dram.h"

namespace mxe::dram {

/// ddr4-3200 without controller latency and refresh. Cycles of its DRAM in the tests are computed
/// from these timings: CL 22, CWL 16, tRCD 22, tRP 22, tRAS 52, tRC 74, burst 4, tCCD_S 4, tCCD_L
/// 8, tRRD_S 4, tRRD_L 8, tFAW 34, tWTR_S 4, tWTR_L 12, tRTW 12, tWR 24, tRTP 12, tRFC 560, tREFI
/// 12480. `options` as after a preset: "refresh=all,tFAW=40".
Config plain_ddr4(const std::string& options = "");

/// Tests of both modes, INSTANTIATE_TEST_SUITE_P(Modes, SUITE, kBothModes, mode_name), have the
/// names Modes/SUITE.TEST/in_order and .../fr_fcfs.
inline const auto kBothModes = ::testing::Values(Mode::in_order, Mode::fr_fcfs);
inline std::string mode_name(const ::testing::TestParamInfo<Mode>& mode) {
  return mode.param == Mode::in_order ? "in_order" : "fr_fcfs";
}

/// A memory whose requests have times in cycles of tCK.
class Bench {
 public:
  Bench(const Config& config, Mode mode);

  /// Requests one access, which arrives in `cycle`. Returns its ticket.
  uint64_t read(const Location& at, uint64_t cycle);
  uint64_t write(const Location& at, uint64_t cycle);
  /// Serves all requests.
  void run();
  /// Cycle of a response; needs run() before.
  uint64_t done(uint64_t ticket) const;
  /// The commands of channel 0, by cycle: "ACT 0, RD 22".
  std::string commands() const;
  Dram& dram() { return *dram_; }

 private:
  uint64_t submit(const Location& at, uint64_t cycle, bool is_write);

  Config config_;
  AddressMap map_;
  std::unique_ptr<Dram> dram_;
  std::vector<uint64_t> done_;
};

/// The access at a column of a row. Bank group and bank are those of rank 0.
inline Location place(uint32_t group, uint32_t bank, uint32_t row, uint32_t column = 0,
                      uint32_t rank = 0) {
  return {0, rank, group, bank, row, column};
}

}  // namespace mxe::dram
