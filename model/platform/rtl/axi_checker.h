// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "model/platform/rtl/rtl_top.h"

namespace mxe::rtl {

/// Checks the engine's AXI4 master pins: payload stable until ready; INCR bursts of whole beats
/// within 4 KiB, of at most `max_burst` beats; no exclusive access or reserved memory type;
/// announced number of write beats; at most kMostOutstanding bursts per direction. Optional: write
/// lanes without a strobe are zero, which AXI4 does not require.
class AxiChecker {
 public:
  /// Outstanding bursts per direction at most: the engine's counters have 12 bits.
  static constexpr unsigned kMostOutstanding = 4095;

  AxiChecker(unsigned beat_bytes, unsigned max_burst, bool zero_masked_lanes);

  /// Throws Error naming the rule violated in `cycle`.
  void check(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out);

 private:
  void check_address(uint64_t cycle, const char* channel, uint64_t address, unsigned length,
                     unsigned size, unsigned burst, const AxiAttributes& attributes) const;
  void check_stable(uint64_t cycle, const RtlOutputs& out) const;
  void check_data(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out);
  void check_masked_lanes(uint64_t cycle, const RtlOutputs& out) const;
  void count_bursts(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out);

  unsigned beat_bytes_, max_burst_;
  bool zero_masked_lanes_;
  bool ar_waits_ = false, aw_waits_ = false, w_waits_ = false;
  RtlOutputs before_;
  std::vector<uint8_t> wdata_before_;
  std::deque<uint8_t> lengths_;    // AWLEN of bursts whose data is incomplete
  std::deque<uint8_t> data_ends_;  // beats - 1 of data bursts whose address is not yet accepted
  unsigned reads_ = 0, writes_ = 0;
  unsigned beat_ = 0;  // index in the current data burst
};

}  // namespace mxe::rtl
