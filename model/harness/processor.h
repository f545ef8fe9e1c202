// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/harness/core_harness.h"

namespace mxe::harness {

/// Software on a processor next to the engine, one register access after the other. For the C
/// driver see driver_port.h. With SystemC: Host.
class Processor {
 public:
  explicit Processor(CoreHarness& engine) : engine_(engine) {}

  /// Accesses a register; returns false for a bus error (a read then returns 0).
  bool try_read(uint32_t offset, uint32_t& value);
  bool try_write(uint32_t offset, uint32_t value);
  /// Waits until the interrupt is high and returns its level. `timeout` passes only if the engine
  /// has no event.
  bool wait_irq_cycles(uint64_t timeout);
  void wait_cycles(uint64_t cycles) { now_ += cycles; }
  uint64_t cycle() const { return now_; }

 private:
  bool access(RegisterTransfer& transfer);

  CoreHarness& engine_;
  uint64_t now_ = 0;
  bool interrupt_ = false;
};

}  // namespace mxe::harness
