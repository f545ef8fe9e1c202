// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mxe_driver.h"

namespace mxe::harness {

/// The C driver's port for a program on `processor`: a Host (SystemC) or a Processor, at 1000
/// cycles per microsecond. A read with a bus error returns all ones, for which the driver reports
/// MXE_ERR_GONE; the bus error of a write is ignored. wait_irq returns MXE_ERR_TIMEOUT if no
/// interrupt arrived.
template <class AnyProcessor>
mxe_port make_driver_port(AnyProcessor& processor) {
  constexpr uint64_t kCyclesPerMicrosecond = 1000;
  mxe_port port{};
  port.ctx = &processor;
  port.read32 = [](void* ctx, uint32_t offset) -> uint32_t {
    uint32_t value = 0;
    return static_cast<AnyProcessor*>(ctx)->try_read(offset, value) ? value : ~uint32_t{0};
  };
  port.write32 = [](void* ctx, uint32_t offset, uint32_t value) {
    static_cast<AnyProcessor*>(ctx)->try_write(offset, value);
  };
  port.now_us = [](void* ctx) {
    return static_cast<AnyProcessor*>(ctx)->cycle() / kCyclesPerMicrosecond;
  };
  port.wait_irq = [](void* ctx, uint32_t timeout_us) -> int {
    const uint64_t timeout = kCyclesPerMicrosecond * timeout_us;
    return static_cast<AnyProcessor*>(ctx)->wait_irq_cycles(timeout) ? 0 : MXE_ERR_TIMEOUT;
  };
  port.relax = [](void* ctx) {
    static_cast<AnyProcessor*>(ctx)->wait_cycles(kCyclesPerMicrosecond);
  };
  return port;
}

}  // namespace mxe::harness
