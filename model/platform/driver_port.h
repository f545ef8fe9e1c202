// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/platform/clock.h"
#include "model/platform/host.h"
#include "mxe_driver.h"

namespace mxe::platform {

/// The C driver's port for a program on `host`. A register access with a bus error reads as all
/// ones (MXE_ERR_GONE of the driver). A missing interrupt is reported as MXE_ERR_TIMEOUT.
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
  port.now_us = [](void*) { return current_cycle() / kCyclesPerMicrosecond; };
  port.wait_irq = [](void* ctx, uint32_t timeout_us) -> int {
    const auto timeout = cycles_to_time(kCyclesPerMicrosecond * timeout_us);
    return static_cast<Host*>(ctx)->wait_irq(timeout) ? 0 : MXE_ERR_TIMEOUT;
  };
  port.relax = [](void* ctx) { static_cast<Host*>(ctx)->wait_cycles(kCyclesPerMicrosecond); };
  return port;
}

/// A ring and its slots for the C driver in the host's memory. It must outlive its use.
class DriverRing {
 public:
  DriverRing(Host& host, uint64_t address, uint32_t entries) : slots_(entries) {
    ring_.mem = host.memory().data(address, std::size_t{MXE_DESC_SIZE} * entries);
    ring_.bus_addr = address;
    ring_.slots = slots_.data();
    ring_.entries = entries;
  }
  DriverRing(DriverRing&&) = default;  // moving the vector does not move the slots
  DriverRing& operator=(DriverRing&&) = default;

  const mxe_ring* get() const { return &ring_; }

 private:
  std::vector<mxe_slot> slots_;
  mxe_ring ring_{};
};

inline DriverRing make_driver_ring(Host& host, uint32_t entries) {
  return {host, host.allocate(std::size_t{MXE_DESC_SIZE} * entries, MXE_DESC_SIZE), entries};
}

}  // namespace mxe::platform
