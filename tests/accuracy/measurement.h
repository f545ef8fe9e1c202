// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mxe_counter_table.h"

namespace mxe::test {

/// The counters that add up to TOTAL, in the order of counter_table; the others are 0.
using CycleCounters = std::array<uint64_t, counter_table.size()>;

struct JobMeasurement {
  std::string job;
  uint64_t model = 0, rtl = 0;
};

struct StreamMeasurement {
  std::vector<JobMeasurement> jobs;
  CycleCounters model{}, rtl{};
  uint64_t rtl_total = 0;
  std::vector<std::string> mismatches;  ///< wrong results, or the error that ended the simulation
};

}  // namespace mxe::test
