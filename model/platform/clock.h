// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <systemc>

namespace mxe {

/// Stack size of the platform's threads. Verilated code and programs that format text need a large
/// stack; pages that are never touched cost nothing.
inline constexpr std::size_t kThreadStackBytes = std::size_t{8} << 20;

/// The clock period, one nanosecond on every platform.
inline sc_core::sc_time cycles_to_time(uint64_t cycles) {
  static const uint64_t ticks = sc_core::sc_time(1, sc_core::SC_NS).value();
  return sc_core::sc_time::from_value(cycles * ticks);
}

/// Whole cycles in `time`, rounded down.
inline uint64_t time_to_cycles(const sc_core::sc_time& time) {
  static const uint64_t ticks = sc_core::sc_time(1, sc_core::SC_NS).value();
  return time.value() / ticks;
}

/// The clock cycle of the current simulation time.
inline uint64_t current_cycle() { return time_to_cycles(sc_core::sc_time_stamp()); }

}  // namespace mxe
