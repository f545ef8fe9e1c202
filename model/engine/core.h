// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "model/engine/cmd.h"
#include "model/engine/counters.h"
#include "model/engine/datapath.h"
#include "model/params/params.h"

namespace mxe {

/// The clock of an engine without work stops: this many cycles after the last transfer on any of
/// its buses STATUS is looked at, which takes as long as any register access. It runs again from
/// the next access on. So idle time costs a simulation of the RTL nothing, and counts as little on
/// the model.
inline constexpr uint64_t kQuietCycles = 256;
inline constexpr uint64_t kStatusLookCycles = 3;

/// The engine without SystemC: registers, command processor, data path and counters, in clock
/// cycles.
///
/// The caller steps through time with run_until(), and makes register accesses in the order of
/// their cycles. Nothing happens between two events, so it costs nothing to let time pass.
class Core {
 public:
  Core(const Params& params, const PortLimits& limits, MemoryPort& memory, Mode mode,
       TracePoint trace);

  /// Carries out everything that happens up to and including `cycle`.
  void run_until(uint64_t cycle);
  /// The same, but stops when a change of the interrupt line waits to be taken.
  void run_to_interrupt(uint64_t cycle);
  /// Cycle of the next thing to happen; kNever while the engine has nothing to do.
  uint64_t next_step() const { return cmd_.next_step(); }

  /// How long a register access that comes in `cycle` has to wait, because STATUS is being looked
  /// at (kQuietCycles). Everything up to `cycle` must have been carried out.
  uint64_t access_delay(uint64_t cycle) const;
  /// A register access begins in `cycle`: if the clock had stopped, it runs again.
  void start_access(uint64_t cycle);
  /// A register write that takes effect in `cycle`: the first in which the register has the new
  /// value. Everything before `cycle` must have been carried out. False = bus error.
  bool write(uint64_t cycle, uint32_t address, uint32_t value, uint8_t strobe);
  /// A register read in `cycle`, on the same condition. False = bus error, and `value` 0.
  bool read(uint32_t address, uint32_t& value) const;

  /// See Counters::set.
  void set_counters(uint64_t cycle, const std::vector<uint64_t>& values);

  uint64_t skipped_cycles() const { return datapath_.skipped_cycles(); }

  /// A change of the interrupt line (irq_o).
  struct Interrupt {
    uint64_t cycle;  ///< first cycle with the new level
    bool level;
  };
  /// Changes not yet taken, oldest first.
  std::deque<Interrupt>& interrupts() { return interrupts_; }

 private:
  /// Whether nothing but an access can make the engine do anything.
  bool rests() const { return cmd_.next_step() == kNever && !cmd_.busy(); }
  /// The first cycle in which no bus transfers anything, as far as is known.
  uint64_t quiet_from() const;

  void step(uint64_t limit);
  void write_control(uint64_t cycle, uint32_t value);
  void set_events(uint64_t cycle, uint32_t events);
  void update_interrupt(uint64_t cycle);
  uint32_t hardware_value(uint32_t address) const;
  uint64_t ring_base() const;

  Params params_;
  Counters counters_;
  Datapath datapath_;
  Cmd cmd_;
  std::array<uint32_t, 1024> words_{};  // what software wrote, by word offset
  uint64_t access_done_ = 0;            // last cycle of the last register access
  uint32_t irq_status_ = 0;
  bool irq_level_ = false;
  std::deque<Interrupt> interrupts_;
};

}  // namespace mxe
