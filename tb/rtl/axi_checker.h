// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "tb/rtl/rtl_top.h"

namespace mxe {

/// Watches the engine's AXI4 master pins for breaches of the protocol: payload stable until ready,
/// INCR bursts of whole beats within 4 KiB and no longer than promised, no exclusive accesses and
/// no reserved kind of memory, as many data beats as announced, no more bursts under way than the
/// engine counts. If the engine promises it, also that write lanes without a strobe carry zero,
/// which AXI4 does not require.
class AxiChecker {
 public:
  /// Most bursts under way in each direction: the engine's counters have 12 bits.
  static constexpr unsigned kMostOutstanding = 4095;

  /// `max_burst` is the most beats of a burst.
  AxiChecker(unsigned beat_bytes, unsigned max_burst, bool zero_masked_lanes);

  /// Throws mx::Error that says which rule clock cycle `cycle` breaks.
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
  RtlOutputs before_;  // pins of the cycle before
  std::vector<uint8_t> wdata_before_;
  std::deque<uint8_t> lengths_;      // AWLEN of bursts whose data has not ended
  std::deque<uint8_t> data_ends_;    // beats - 1 of data bursts that came before their address
  unsigned reads_ = 0, writes_ = 0;  // bursts under way
  unsigned beat_ = 0;                // of the data burst under way
};

}  // namespace mxe
