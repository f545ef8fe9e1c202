// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/platform/clock.h"
#include "model/platform/host.h"
#include "mxe_driver.h"

namespace mxe {

/// The port of the C driver when it runs in a program of `host`. A register that answers with a bus
/// error reads as all ones, which the driver reports as MXE_ERR_GONE; where no interrupt comes in
/// time, the driver reports MXE_ERR_TIMEOUT.
inline mxe_port make_driver_port(Host& host) {
  constexpr uint64_t kCyclesPerMicrosecond = 1000;
  mxe_port port{};
  port.ctx = &host;
  port.read32 = [](void* ctx, uint32_t offset) -> uint32_t {
    uint32_t value = 0;
    return static_cast<Host*>(ctx)->try_read(offset, value) ? value : ~uint32_t{0};
  };
  port.write32 = [](void* ctx, uint32_t offset, uint32_t value) {
    static_cast<Host*>(ctx)->try_write(offset, value);
  };
  port.wait_irq = [](void* ctx, uint32_t timeout_us) -> int {
    const auto timeout = cycles_to_time(kCyclesPerMicrosecond * timeout_us);
    return static_cast<Host*>(ctx)->wait_irq(timeout) ? 0 : MXE_ERR_TIMEOUT;
  };
  port.relax = [](void* ctx) { static_cast<Host*>(ctx)->wait_cycles(kCyclesPerMicrosecond); };
  return port;
}

}  // namespace mxe
