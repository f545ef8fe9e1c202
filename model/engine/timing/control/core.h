// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "model/engine/timing/common/counters.h"
#include "model/engine/timing/control/cmd.h"
#include "model/engine/timing/control/datapath.h"
#include "model/params/params.h"

namespace mxe::engine {

/// The engine without SystemC: registers, command processor, datapath and counters, in clock
/// cycles.
///
/// The caller advances time with run_until(), and makes register accesses in the order of their
/// cycles. Nothing happens between two events, so letting time pass costs nothing.
class Core {
 public:
  Core(const EngineConfig& config, MemoryPort& memory);

  /// Carries out everything that happens up to and including `cycle`, or to its reach().
  void run_until(uint64_t cycle);
  /// As run_until(), but stops as soon as interrupts() is not empty.
  void run_to_interrupt(uint64_t cycle);

  // --- A memory that completes tickets later than request().
  /// The present: responses come in `cycle` or later. The caller never lets the engine run beyond
  /// it while bursts are outstanding.
  void set_present(uint64_t cycle) { present_ = cycle; }
  /// Takes the responses since the last call.
  void take_responses() { datapath_.take_late_responses(); }
  /// True if bursts have no response.
  bool has_outstanding_bursts() const { return datapath_.oldest_burst_cycle() != kNever; }
  /// The last cycle up to `cycle` that the engine may reach: that of the first burst without
  /// response, or the present. Example: present 10, a burst issued in cycle 14: 14.
  uint64_t reach(uint64_t cycle) const {
    const uint64_t burst = datapath_.oldest_burst_cycle();
    return burst == kNever ? cycle : std::min(cycle, std::max(burst, present_));
  }
  /// Cycle of the next event; kNever while the engine has nothing to do.
  uint64_t next_cycle() const { return cmd_.next_cycle(); }

  /// Writes a register; `cycle` is the first in which it has the new value. Everything before
  /// `cycle` must have been carried out. Returns false on a bus error.
  bool write(uint64_t cycle, uint32_t address, uint32_t value, uint8_t strobe);
  /// Reads a register; everything before must have been carried out. Returns false, and `value` 0,
  /// on a bus error.
  bool read(uint32_t address, uint32_t& value) const;

  /// See Counters::set.
  void set_counters(uint64_t cycle, const std::vector<uint64_t>& values);

  uint64_t skipped_cycles() const { return datapath_.skipped_cycles(); }
  uint64_t simulated_fetches() const { return datapath_.simulated_fetches(); }
  uint64_t simulated_passes() const { return datapath_.simulated_passes(); }
  const Arithmetic& arithmetic() const { return datapath_.arithmetic(); }

  /// A change of the interrupt line (irq_o).
  struct Interrupt {
    uint64_t cycle;  ///< first cycle with the new level
    bool level;
  };
  /// Changes not yet taken, oldest first.
  std::deque<Interrupt>& interrupts() { return interrupts_; }
  const std::deque<Interrupt>& interrupts() const { return interrupts_; }

 private:
  void step(uint64_t now, uint64_t limit);
  void write_control(uint64_t cycle, uint32_t value);
  void set_events(uint64_t cycle, uint32_t events);
  void update_interrupt(uint64_t cycle);
  uint32_t hardware_value(uint32_t address) const;
  uint64_t ring_base() const;

  uint64_t present_ = 0;
  Params params_;
  Counters counters_;
  Datapath datapath_;
  Cmd cmd_;
  std::array<uint32_t, 1024> words_{};  // values written by software, by word offset
  uint32_t irq_status_ = 0;
  uint32_t new_events_ = 0;    // those of events_cycle_
  uint64_t events_cycle_ = 0;  // cycle of the last events
  bool irq_level_ = false;
  std::deque<Interrupt> interrupts_;
};

}  // namespace mxe::engine
