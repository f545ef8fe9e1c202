// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/platform/soc/local_time.h"
#include "model/platform/soc/register_device.h"

namespace mxe::soc {

struct BusAccess {
  bool write = false;
  uint64_t address = 0;
  unsigned bytes = 4;
  uint32_t data = 0;  ///< input of a write, output of a read
};

/// The bus to the devices. Before each access, the simulation carries out the events that are due.
class Bus {
 public:
  explicit Bus(LocalTime& time) : time_(time) {}

  /// `device` must outlive the bus.
  void attach(const std::string& name, uint64_t base, uint64_t bytes, RegisterDevice& device);

  /// Returns false for a bus error: no device, refused, or not 4 bytes at a multiple of 4.
  bool access(BusAccess& access);

  /// Returns "timer + 0x8", or "no device".
  std::string describe(uint64_t address) const;

  uint64_t accesses() const { return accesses_; }

 private:
  struct Window {
    std::string name;
    uint64_t base, bytes;
    RegisterDevice* device;
  };

  const Window* find(uint64_t address) const;

  LocalTime& time_;
  std::vector<Window> windows_;
  uint64_t accesses_ = 0;
};

}  // namespace mxe::soc
