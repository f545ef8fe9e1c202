#pragma once

#include <array>
#include <cstdint>

#include "mxe_driver.h"

namespace mxe {

/// A counter of the engine: its name, and its place in struct mxe_counters.
struct CounterInfo {
  const char* name;
  uint64_t mxe_counters::*value;
  /// The model knows it exactly while a job runs, too. It knows the reason of a wait when it ends,
  /// until then a snapshot counts it as idle; bytes of transfers under way are a few beats off.
  bool exact_within_jobs = true;
};

/// All counters, in the order of the registers.
inline constexpr std::array<CounterInfo, 14> counter_table{{
    {"total", &mxe_counters::total},
    {"mac_active", &mxe_counters::mac_active},
    {"stall_a", &mxe_counters::stall_a, false},
    {"stall_b", &mxe_counters::stall_b, false},
    {"stall_c", &mxe_counters::stall_c, false},
    {"stall_drain", &mxe_counters::stall_drain, false},
    {"stall_latency", &mxe_counters::stall_latency, false},
    {"idle", &mxe_counters::idle, false},
    {"bytes_read", &mxe_counters::bytes_read, false},
    {"bytes_written", &mxe_counters::bytes_written, false},
    {"blocks", &mxe_counters::blocks},
    {"dual_cycles", &mxe_counters::dual_cycles},
    {"nan_results", &mxe_counters::nan_results},
    {"saturations", &mxe_counters::saturations},
}};

}  // namespace mxe
