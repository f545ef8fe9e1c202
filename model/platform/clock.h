// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <systemc>

#include "model/numerics/base/error.h"

namespace mxe::platform {

/// Stack size of threads, for Verilated code and text formatting. Unused pages cost no memory.
inline constexpr std::size_t kThreadStackBytes = std::size_t{8} << 20;

/// A clock, counted in cycles since the start of the simulation. All functions except the default
/// constructor and the comparison throw Error if the period is below the simulation's time
/// resolution.
class Clock {
 public:
  /// One nanosecond, the clock of MXE's own platforms. A time resolution above 1 ns is reported at
  /// the first use, so that boards with another clock may have any resolution.
  Clock() {
    static const uint64_t ticks = sc_core::sc_time(1, sc_core::SC_NS).value();
    ticks_ = ticks;
  }
  /// Throws Error for a zero `period`. SystemC has already rounded it to the time resolution.
  explicit Clock(const sc_core::sc_time& period);
  /// Throws Error unless `period` is a multiple of the time resolution: not 1.5 ns at 1 ns.
  Clock(double period, sc_core::sc_time_unit unit);

  /// Throws Error, naming `user`, if the time resolution is too coarse.
  void require(const char* user) const {
    if (ticks_ == 0) refuse(user);
  }

  sc_core::sc_time period() const { return to_time(1); }
  sc_core::sc_time to_time(uint64_t cycles) const {
    return sc_core::sc_time::from_value(cycles * ticks());
  }
  uint64_t to_cycles(const sc_core::sc_time& time) const { return time.value() / ticks(); }
  uint64_t to_cycles_up(const sc_core::sc_time& time) const {
    return (time.value() + ticks() - 1) / ticks();
  }
  uint64_t now() const { return to_cycles(sc_core::sc_time_stamp()); }
  /// Time from now to the start of `cycle`; zero if that is in the past.
  sc_core::sc_time until(uint64_t cycle) const {
    const sc_core::sc_time begin = to_time(cycle), present = sc_core::sc_time_stamp();
    return begin > present ? begin - present : sc_core::SC_ZERO_TIME;
  }

  bool operator==(const Clock& other) const { return ticks_ == other.ticks_; }

 private:
  uint64_t ticks() const {
    require("a clock of 1 ns");
    return ticks_;
  }
  [[noreturn]] static void refuse(const char* user);

  uint64_t ticks_ = 0;  // period; 0: below the time resolution
};

inline sc_core::sc_time cycles_to_time(uint64_t cycles) { return Clock().to_time(cycles); }
inline uint64_t time_to_cycles(const sc_core::sc_time& time) { return Clock().to_cycles(time); }
inline uint64_t current_cycle() { return Clock().now(); }

}  // namespace mxe::platform
