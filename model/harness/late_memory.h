// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/memory/memory_port.h"
#include "model/harness/core_harness.h"

namespace mxe::harness {

/// A memory that completes tickets later than request(), without SystemC.
class LateMemory : public engine::MemoryPort {
 public:
  /// Cycle of its next event, at the latest that of its next response; kNever if there is none.
  virtual uint64_t next_cycle() const = 0;
  /// Carries out its events up to `cycle`, and completes the tickets that are due.
  virtual void run_until(uint64_t cycle) = 0;
};

/// A Processor for an engine with a LateMemory: engine and memory run from event to event.
class LateProcessor {
 public:
  LateProcessor(CoreHarness& engine, LateMemory& memory) : engine_(engine), memory_(memory) {}

  // As those of Processor:
  bool try_read(uint32_t offset, uint32_t& value);
  bool try_write(uint32_t offset, uint32_t value);
  bool wait_irq_cycles(uint64_t timeout);
  void wait_cycles(uint64_t cycles) { now_ += cycles; }
  uint64_t cycle() const { return now_; }

 private:
  bool access(RegisterTransfer& transfer);
  uint64_t next_cycle() const;
  void step();

  CoreHarness& engine_;
  LateMemory& memory_;
  uint64_t now_ = 0;
  bool interrupt_ = false;
};

}  // namespace mxe::harness
