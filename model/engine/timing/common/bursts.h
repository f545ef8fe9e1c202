// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/engine/memory/memory_timing.h"
#include "model/params/hardware.h"

namespace mxe::engine {

/// Splits a row of bytes into bursts, limited by MAX_BURST and the 4 KiB rule of AXI (mxe_bursts).
class Bursts {
 public:
  struct Burst {
    uint64_t address = 0;  ///< of its first beat
    unsigned beats = 0;
  };

  Bursts(BeatSize beat, unsigned max_burst) : beat_(beat), max_burst_(max_burst) {}

  void start(uint64_t address, unsigned beats) {
    address_ = address - beat_.offset(address);
    remaining_ = beats;
  }
  /// Beats not yet in a burst.
  unsigned remaining() const { return remaining_; }
  /// The next burst; remaining() must not be 0.
  Burst take() {
    const auto to_page_end = static_cast<unsigned>(beat_.whole(kPageBytes - address_ % kPageBytes));
    const Burst burst{address_, std::min({remaining_, max_burst_, to_page_end})};
    address_ += uint64_t{burst.beats} * beat_.bytes();
    remaining_ -= burst.beats;
    return burst;
  }

 private:
  BeatSize beat_;
  unsigned max_burst_;
  uint64_t address_ = 0;
  unsigned remaining_ = 0;
};

}  // namespace mxe::engine
