// SPDX-License-Identifier: Apache-2.0
#include "model/harness/late_memory.h"

#include <algorithm>

namespace mxe::harness {

uint64_t LateProcessor::next_cycle() const {
  return std::min(engine_.core().next_cycle(), memory_.next_cycle());
}

void LateProcessor::step() {
  const uint64_t present = next_cycle();
  memory_.run_until(present);
  engine_.core().set_present(present);
  engine_.core().take_responses();
  engine_.core().run_until(present);
}

bool LateProcessor::access(RegisterTransfer& transfer) {
  const uint64_t needed = CoreHarness::access_needs(transfer, now_);
  while (next_cycle() <= needed) step();
  engine_.core().set_present(needed);
  const bool ok = engine_.access(transfer, now_);
  now_ += kAccessCycles;
  return ok;
}

bool LateProcessor::try_read(uint32_t offset, uint32_t& value) {
  RegisterTransfer transfer{false, offset};
  const bool ok = access(transfer);
  value = transfer.data;
  return ok;
}

bool LateProcessor::try_write(uint32_t offset, uint32_t value) {
  RegisterTransfer transfer{true, offset, value};
  return access(transfer);
}

bool LateProcessor::wait_irq_cycles(uint64_t timeout) {
  for (;;) {
    while (engine_.interrupt_cycle() <= now_) interrupt_ = engine_.take_interrupt();
    if (interrupt_) return true;
    if (engine_.interrupt_cycle() != kNever) {
      now_ = engine_.interrupt_cycle();
    } else if (engine_.is_at_rest()) {
      now_ += timeout;
      return false;
    } else {
      step();
    }
  }
}

}  // namespace mxe::harness
