// SPDX-License-Identifier: Apache-2.0
#include "model/engine/memory/memory_port.h"

#include <fmt/format.h>

#include "model/numerics/base/error.h"
#include "model/params/hardware.h"

namespace mxe::engine {
namespace {

void require_bursts(const char* direction, unsigned bursts, unsigned most) {
  if (bursts >= 1 && bursts <= most) return;
  throw LimitError(fmt::format("outstanding {} of the memory are {}, but must be from 1 to {}",
                               direction, bursts, most),
                   fmt::format("mem_outstanding_{}", direction), {double(bursts)});
}

}  // namespace

void PortLimits::validate() const {
  require_bursts("reads", reads, kReadBursts);
  require_bursts("writes", writes, kWriteBursts);
}

}  // namespace mxe::engine
