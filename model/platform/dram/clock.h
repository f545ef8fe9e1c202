// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/platform/dram/config.h"

namespace mxe::dram {

/// Converts between picoseconds and cycles of a clock, such as tCK or the engine's. Edge n is at n
/// times the period, rounded up to picoseconds.
class Clock {
 public:
  /// `period_fs`: femtoseconds.
  explicit Clock(uint64_t period_fs) : period_fs_(period_fs) {}
  explicit Clock(const Config& config) : Clock(config.tck_fs) {}

  uint64_t period_fs() const { return period_fs_; }

  /// First edge at or after `ps`. Period 625 ps: 1300 ps -> 3.
  uint64_t cycle_from(uint64_t ps) const {
    uint64_t cycle = ps / period_fs_ * 1000 + ps % period_fs_ * 1000 / period_fs_;
    while (ps_of(cycle) < ps) cycle++;
    return cycle;
  }
  /// Last edge at or before `ps`. Period 625 ps: 1300 ps -> 2.
  uint64_t cycle_until(uint64_t ps) const {
    const uint64_t cycle = cycle_from(ps);
    return ps_of(cycle) > ps ? cycle - 1 : cycle;
  }
  /// Time of an edge.
  uint64_t ps_of(uint64_t cycle) const {
    return cycle / 1000 * period_fs_ + (cycle % 1000 * period_fs_ + 999) / 1000;
  }

 private:
  uint64_t period_fs_;
};

}  // namespace mxe::dram
