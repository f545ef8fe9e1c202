// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/harness/core_harness.h"
#include "model/harness/late_memory.h"

namespace mxe::harness {

/// Software next to the engine, without SystemC (with it: Host). Register accesses are sequential.
class Processor {
 public:
  /// `late`: the engine's memory if it completes tickets later than request(). Engine and memory
  /// then run from event to event.
  explicit Processor(CoreHarness& engine, LateMemory* late = nullptr)
      : engine_(engine), late_(late) {}

  /// Accesses a register; returns false for a bus error (a read then returns 0).
  bool try_read(uint32_t offset, uint32_t& value);
  bool try_write(uint32_t offset, uint32_t value);
  /// Waits until the interrupt is high and returns true, also after more than `timeout` cycles. If
  /// the engine is at rest first, `timeout` passes and false is returned.
  bool wait_irq_cycles(uint64_t timeout);
  void wait_cycles(uint64_t cycles) { now_ += cycles; }
  uint64_t cycle() const { return now_; }

 private:
  bool access(RegisterTransfer& transfer);
  uint64_t next_cycle() const;
  void step();

  CoreHarness& engine_;
  LateMemory* late_;
  uint64_t now_ = 0;
  bool interrupt_ = false;
};

}  // namespace mxe::harness
