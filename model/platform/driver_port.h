// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/harness/driver_port.h"
#include "model/platform/host.h"
#include "mxe_driver.h"

namespace mxe::platform {

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
