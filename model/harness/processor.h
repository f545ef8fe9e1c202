// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/harness/core_harness.h"

namespace mxe::harness {

/// Software next to the engine, without SystemC (with it: Host). Register accesses are sequential.
class Processor {
 public:
  explicit Processor(CoreHarness& engine) : engine_(engine) {}

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

  CoreHarness& engine_;
  uint64_t now_ = 0;
  bool interrupt_ = false;
};

}  // namespace mxe::harness
