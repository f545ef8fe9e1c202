// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace mxe::soc {

/// The processor's time in nanoseconds, ahead of the simulation. If an event is due, the simulation
/// catches up before each register access and at multiples of Cpu::kCheckCycles. The quantum limits
/// the lead otherwise and affects only speed, not the times that software sees.
class LocalTime {
 public:
  explicit LocalTime(uint64_t quantum) : quantum_(quantum) {}

  uint64_t now() const { return simulated_ + ahead_; }
  /// How far the processor is ahead of the simulation.
  uint64_t ahead() const { return ahead_; }
  void pass(uint64_t cycles) { ahead_ += cycles; }
  /// Call after the simulation has advanced: the processor is now `cycles` ahead.
  void set_ahead(uint64_t cycles);

  /// Simulates all events up to now(). Call it in a SystemC thread.
  void catch_up();
  /// First cycle at which catch_up() has work, assuming no other activity.
  uint64_t quiet_until() const;
  /// As catch_up(); afterwards the simulation time is now().
  void synchronise();
  /// If the simulation time is now(): delivers the interrupts of this time to the processor.
  void settle();
  /// Sleeps until `event`, the rise of the processor's interrupt line, which the engine or the
  /// alarm causes.
  void sleep_until(const sc_core::sc_event& event);
  /// `access` takes ahead() plus the access time and returns the part that it has not waited for.
  template <typename Access>
  void spend(const Access& access) {
    busy_until_ = now();
    const uint64_t left = access();
    busy_until_ = 0;
    set_ahead(left);
    if (now() >= end_) synchronise();
  }

  /// End of the simulation. Register accesses after it have no effect.
  void set_end(uint64_t cycle) { end_ = cycle; }
  /// Time of the timer's next interrupt.
  void set_alarm(uint64_t cycle) { alarm_ = cycle; }

  /// Earliest cycle in which the processor can access a register, unless the engine's interrupt
  /// changes before (EngineModule::set_horizon).
  uint64_t next_access() const;

 private:
  uint64_t quantum_;
  uint64_t simulated_ = 0, ahead_ = 0;
  uint64_t settled_ = 0;
  uint64_t busy_until_ = 0;  // earliest next access while the SystemC thread waits; else 0
  uint64_t alarm_ = ~uint64_t{0}, end_ = ~uint64_t{0};
};

}  // namespace mxe::soc
