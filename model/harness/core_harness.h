// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/timing/control/core.h"
#include "model/harness/register_access.h"

namespace mxe::harness {

/// The model of an engine at its pins: register accesses and the interrupt take as long as at the
/// pins of the RTL. The caller makes accesses in the order of their cycles.
class CoreHarness {
 public:
  CoreHarness(const engine::EngineConfig& config, engine::MemoryPort& memory)
      : core_(config, memory) {}

  engine::Core& core() { return core_; }
  const engine::Core& core() const { return core_; }

  /// The cycle that the core must reach before an access that starts in cycle `start` is carried
  /// out. Example: a write that starts in cycle 10 is visible in cycle 12, so the core runs to 11.
  static uint64_t access_needs(const RegisterTransfer& transfer, uint64_t start) {
    return transfer.write ? start + kWriteVisible - 1 : start;
  }
  /// Runs the core to access_needs() and accesses the register; returns false for a bus error.
  bool access(RegisterTransfer& transfer, uint64_t start);

  /// Runs the core from `now` to `limit`, at most 2^40 cycles, or to the next change of the
  /// interrupt pin. Returns the cycle reached.
  uint64_t run(uint64_t now, uint64_t limit = kNever);
  /// First cycle in which software sees the next change of the interrupt; kNever if none is known.
  uint64_t interrupt_cycle() const;
  /// Returns the level from interrupt_cycle() on and removes this change.
  bool take_interrupt();
  /// True if no event and no interrupt change is pending: no register changes before software's
  /// next write.
  bool is_at_rest() const {
    return core_.next_cycle() == kNever && core_.interrupts().empty() &&
           !core_.has_outstanding_bursts();
  }

 private:
  engine::Core core_;
};

}  // namespace mxe::harness
