// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "model/engine/memory/memory_port.h"

namespace mxe::platform {

struct Burst {
  engine::MemoryRequest request;
  engine::Ticket* ticket = nullptr;
  std::shared_ptr<const void> owner;  ///< of ticket and data
};

/// How bursts reach the memory at the socket `mem`.
enum class MemoryCalls : uint8_t {
  one_blocking,  ///< b_transport, one burst at a time; model and RTL take the same cycles
  blocking,      ///< b_transport; in a memory that waits, those of the RTL overlap (BurstCalls)
  non_blocking,  ///< nb_transport_fw and nb_transport_bw (BurstPhases)
};

/// Serves bursts. Tickets complete within request() or later, in any order.
class BurstPort {
 public:
  virtual ~BurstPort() = default;
  virtual void request(Burst burst) = 0;
  virtual bool is_idle() const = 0;  ///< no burst is outstanding
};

}  // namespace mxe::platform
