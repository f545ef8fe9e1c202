// SPDX-License-Identifier: Apache-2.0
#include "model/harness/processor.h"

#include <algorithm>

namespace mxe::harness {

/// Cycle of the next event of the engine or of its late memory.
uint64_t Processor::next_cycle() const {
  return std::min(engine_.core().next_cycle(), late_->next_cycle());
}

/// Carries out that event.
void Processor::step() {
  const uint64_t present = next_cycle();
  late_->run_until(present);
  engine_.core().set_present(present);
  engine_.core().take_responses();
  engine_.core().run_until(present);
}

bool Processor::access(RegisterTransfer& transfer) {
  if (late_) {
    const uint64_t needed = CoreHarness::access_needs(transfer, now_);
    while (next_cycle() <= needed) step();
    engine_.core().set_present(needed);
  }
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
    } else if (late_) {
      step();
    } else {
      const uint64_t reached = engine_.run(now_);
      if (engine_.interrupt_cycle() == kNever) now_ = reached;
    }
  }
}

}  // namespace mxe::harness
