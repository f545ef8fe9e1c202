// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/platform/soc/local_time.h"
#include "model/platform/soc/register_device.h"

namespace mxe::soc {

/// One access of the processor to something that is not memory.
struct BusAccess {
  bool write = false;
  uint64_t address = 0;
  unsigned bytes = 4;
  uint32_t data = 0;  ///< in for a write, out for a read
};

/// The bus between the processor and the devices. Each has a window; each access finds the
/// simulation caught up with the processor.
class Bus {
 public:
  explicit Bus(LocalTime& time) : time_(time) {}

  /// `device` must live as long as the bus.
  void attach(const std::string& name, uint64_t base, uint64_t bytes, RegisterDevice& device);

  /// Carries out an access; returns false for a bus error: nothing is there, the device refuses, or
  /// the access is not one of 4 bytes at a multiple of 4.
  bool access(BusAccess& access);

  /// "timer + 0x8", or "no device".
  std::string describe(uint64_t address) const;

  /// Accesses so far.
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
