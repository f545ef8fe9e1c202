// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/memory/memory_port.h"

namespace mxe::harness {

/// A memory that completes tickets later than request(), without SystemC.
class LateMemory : public engine::MemoryPort {
 public:
  /// Cycle of its next event, at the latest that of its next response; kNever if there is none.
  virtual uint64_t next_cycle() const = 0;
  /// Carries out its events up to `cycle`, and completes the tickets that are due.
  virtual void run_until(uint64_t cycle) = 0;
};

}  // namespace mxe::harness
