// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/params/hardware.h"

namespace mxe::engine {

/// A block with events. The datapath always carries out the earliest event of all its sources; an
/// event affects only events in later cycles.
class EventSource {
 public:
  EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
  virtual ~EventSource() = default;

  /// Cycle of the next event; kNever if none is known.
  virtual uint64_t next_event() const = 0;
  /// Carries out that event, which is in `cycle`. Repeated periods may be skipped up to cycle
  /// `limit`.
  virtual void step(uint64_t cycle, uint64_t limit) = 0;
};

}  // namespace mxe::engine
