// SPDX-License-Identifier: Apache-2.0
#include "model/harness/processor.h"

#include <algorithm>

namespace mxe::harness {

bool Processor::access(RegisterTransfer& transfer) {
  const bool ok = engine_.access(transfer, now_);
  now_ += kAccessCycles;
  return ok;
}

bool Processor::try_read(uint32_t offset, uint32_t& value) {
  RegisterTransfer transfer{false, offset};
  const bool ok = access(transfer);
  value = transfer.data;
  return ok;
}

bool Processor::try_write(uint32_t offset, uint32_t value) {
  RegisterTransfer transfer{true, offset, value};
  return access(transfer);
}

bool Processor::wait_irq_cycles(uint64_t timeout) {
  for (;;) {
    while (engine_.interrupt_cycle() <= now_) interrupt_ = engine_.take_interrupt();
    if (interrupt_) return true;
    if (engine_.interrupt_cycle() != kNever) {
      now_ = engine_.interrupt_cycle();
    } else if (engine_.is_at_rest()) {
      now_ += timeout;
      return false;
    } else {
      const uint64_t reached = engine_.run(now_);
      if (engine_.interrupt_cycle() == kNever) now_ = reached;
    }
  }
}

}  // namespace mxe::harness
