// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/interrupt_controller.h"

#include "soc_map.h"

namespace mxe::soc {

void InterruptController::set_pending(uint32_t bit, bool level) {
  pending_ = level ? pending_ | bit : pending_ & ~bit;
  update();
}

void InterruptController::update() {
  const bool level = (pending_ & enable_) != 0;
  if (level == line_) return;
  line_ = level;
  set_line_(level);
}

bool InterruptController::read(uint32_t offset, uint32_t& value) {
  if (offset == SOC_INTERRUPTS_PENDING) {
    value = pending_;
  } else if (offset == SOC_INTERRUPTS_ENABLE) {
    value = enable_;
  } else {
    return false;
  }
  return true;
}

bool InterruptController::write(uint32_t offset, uint32_t value) {
  if (offset != SOC_INTERRUPTS_ENABLE) return false;
  enable_ = value & (SOC_INTERRUPTS_ENABLE_ENGINE | SOC_INTERRUPTS_ENABLE_TIMER);
  update();
  return true;
}

}  // namespace mxe::soc
