// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace mxe::soc {

/// The processor's time, in clocks of one nanosecond since the start. The processor computes ahead
/// of the simulation and lets the simulation catch up when it has to: before each access to a
/// register, and at fixed moments (Cpu) if anything happened in between. How far it may be ahead
/// otherwise, the quantum, is therefore a matter of speed alone: software sees the same times with
/// every quantum.
class LocalTime {
 public:
  explicit LocalTime(uint64_t quantum) : quantum_(quantum) {}

  uint64_t now() const { return simulated_ + ahead_; }
  /// How far the simulation is behind.
  uint64_t ahead() const { return ahead_; }
  void pass(uint64_t cycles) { ahead_ += cycles; }
  /// The simulation has gone on, and the processor is `cycles` ahead of it.
  void set_ahead(uint64_t cycles);

  /// Everything that happens up to now() has happened afterwards. In a SystemC thread.
  void catch_up();
  /// Until which cycle catch_up() has nothing to do, if nobody else does anything before.
  uint64_t quiet_until() const;
  /// The same as catch_up(), and the simulation has reached now().
  void synchronise();
  /// If the simulation has reached now(): the processor sees the interrupts of this instant.
  void settle();
  /// Sleeps until `event`, which comes of the engine's interrupt or at the alarm.
  void sleep_until(const sc_core::sc_event& event);
  /// Calls `access`, which waits for ahead() and for what an access to a register takes besides,
  /// and returns how far it left the simulation behind.
  template <typename Access>
  void spend(const Access& access) {
    busy_until_ = now();
    const uint64_t left = access();
    busy_until_ = 0;
    set_ahead(left);
    if (now() >= end_) synchronise();
  }

  /// When the simulation ends. Nothing that software does from then on reaches a device.
  void set_end(uint64_t cycle) { end_ = cycle; }
  /// When the timer's interrupt comes next.
  void set_alarm(uint64_t cycle) { alarm_ = cycle; }

  /// The earliest cycle in which the processor can access a register, unless the engine's interrupt
  /// changes before: how far the engine may compute (EngineModule::set_horizon).
  uint64_t next_access() const;

 private:
  uint64_t quantum_;
  uint64_t simulated_ = 0, ahead_ = 0;
  uint64_t settled_ = 0;     // the last instant at which it was
  uint64_t busy_until_ = 0;  // the processor waits, and goes on then
  uint64_t alarm_ = ~uint64_t{0}, end_ = ~uint64_t{0};
};

}  // namespace mxe::soc
