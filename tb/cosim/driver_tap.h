// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "mxe_driver.h"
#include "mxe_regs.h"

namespace mxe::cosim {

/// A port between the C driver and the device; it can change a descriptor between the driver's
/// write and the doorbell. It must not move while it is in use.
class DriverTap {
 public:
  DriverTap() = default;
  DriverTap(const DriverTap&) = delete;
  DriverTap& operator=(const DriverTap&) = delete;

  /// Returns the port for mxe_open(). A function that `port` lacks is null there, too.
  mxe_port attach(const mxe_port& port) {
    port_ = port;
    mxe_port tapped{};
    tapped.ctx = this;
    tapped.read32 = [](void* ctx, uint32_t offset) {
      const mxe_port& p = self(ctx).port_;
      return p.read32(p.ctx, offset);
    };
    tapped.write32 = [](void* ctx, uint32_t offset, uint32_t value) {
      const DriverTap& tap = self(ctx);
      if (offset == MXE_REG_RING_TAIL && tap.before_doorbell) tap.before_doorbell();
      if (offset == MXE_REG_RING_TAIL && tap.holds_doorbells) return;
      tap.port_.write32(tap.port_.ctx, offset, value);
    };
    tapped.now_us = [](void* ctx) {
      const mxe_port& p = self(ctx).port_;
      return p.now_us(p.ctx);
    };
    if (port.wait_irq) {
      tapped.wait_irq = [](void* ctx, uint32_t timeout_us) {
        DriverTap& tap = self(ctx);
        const int woken = tap.port_.wait_irq(tap.port_.ctx, timeout_us);
        tap.no_interrupt = woken == MXE_ERR_TIMEOUT;
        return woken;
      };
    }
    if (port.relax) {
      tapped.relax = [](void* ctx) {
        const mxe_port& p = self(ctx).port_;
        p.relax(p.ctx);
      };
    }
    return tapped;
  }

  std::function<void()> before_doorbell;
  /// While true, doorbells do not reach the device. The first one after that submits their jobs,
  /// too.
  bool holds_doorbells = false;
  /// The driver's last wait for an interrupt timed out. Completed jobs are found nevertheless.
  bool no_interrupt = false;

 private:
  static DriverTap& self(void* ctx) { return *static_cast<DriverTap*>(ctx); }

  mxe_port port_{};
};

}  // namespace mxe::cosim
