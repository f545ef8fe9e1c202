// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mxe_counter_table.h"

namespace mxe {

/// The counters that say what the array did in every cycle, in the order of counter_table: those
/// that are parts of the total. The others are 0.
using CycleCounters = std::array<uint64_t, counter_table.size()>;

struct JobMeasurement {
  std::string job;
  uint64_t model = 0, rtl = 0;  ///< cycles
};

/// What one stream took on model and RTL.
struct StreamMeasurement {
  std::vector<JobMeasurement> jobs;
  CycleCounters model{}, rtl{};
  uint64_t rtl_total = 0;
  std::vector<std::string> mismatches;  ///< results that differ, or an end of the simulation
};

}  // namespace mxe
