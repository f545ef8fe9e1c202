// SPDX-License-Identifier: Apache-2.0
#include "model/platform/pci/config_space.h"

#include <algorithm>

namespace mxe::pci {
namespace {

// Offsets in the header and in the MSI capability, and register bits.
constexpr unsigned kVendor = 0x00, kDevice = 0x02, kCommand = 0x04, kStatus = 0x06;
constexpr unsigned kRevision = 0x08, kBaseClass = 0x0b, kCacheLine = 0x0c, kBar0 = 0x10;
constexpr unsigned kSubsystemVendor = 0x2c, kSubsystem = 0x2e, kCapabilities = 0x34;
constexpr unsigned kInterruptLine = 0x3c;
constexpr unsigned kMsiControl = ConfigSpace::kMsi + 2, kMsiAddress = ConfigSpace::kMsi + 4;
constexpr unsigned kMsiData = ConfigSpace::kMsi + 12;

constexpr uint16_t kCommandMemory = 1 << 1, kCommandMaster = 1 << 2, kCommandNoPin = 1 << 10;
constexpr uint16_t kStatusCapabilities = 1 << 4;
constexpr uint8_t kProcessingAccelerator = 0x12;
constexpr uint8_t kMsiCapability = 0x05;
constexpr uint16_t kMsiEnable = 1 << 0, kMsi64 = 1 << 7;

}  // namespace

ConfigSpace::ConfigSpace(const Ids& ids) {
  set(kVendor, 2, ids.vendor);
  set(kDevice, 2, ids.device);
  set(kCommand, 2, 0, kCommandMemory | kCommandMaster | kCommandNoPin);
  set(kStatus, 2, kStatusCapabilities);
  set(kRevision, 1, ids.revision);
  set(kBaseClass, 1, kProcessingAccelerator);
  set(kCacheLine, 1, 0, 0xff);
  set(kBar0, 4, 0, ~(kBar0Bytes - 1));  // the constant zero bits define the BAR's size
  set(kSubsystemVendor, 2, ids.vendor);
  set(kSubsystem, 2, ids.device);
  set(kCapabilities, 1, kMsi);
  set(kInterruptLine, 1, 0, 0xff);
  set(kMsi, 1, kMsiCapability);
  set(kMsiControl, 2, kMsi64, kMsiEnable);
  set(kMsiAddress, 8, 0, ~uint64_t{3});
  set(kMsiData, 2, 0, 0xffff);
}

void ConfigSpace::read(uint64_t offset, std::size_t bytes, uint8_t* data) const {
  std::fill_n(data, bytes, uint8_t{0xff});
  for (std::size_t i = 0; i < bytes && offset + i < kBytes; i++) {
    data[i] = values_[offset + i];
  }
}

void ConfigSpace::write(uint64_t offset, std::size_t bytes, const uint8_t* data) {
  for (std::size_t i = 0; i < bytes && offset + i < kBytes; i++) {
    const uint8_t writable = writable_[offset + i];
    uint8_t& value = values_[offset + i];
    value = static_cast<uint8_t>((value & ~writable) | (data[i] & writable));
  }
}

bool ConfigSpace::memory_enabled() const { return get(kCommand, 2) & kCommandMemory; }

bool ConfigSpace::bus_master() const { return get(kCommand, 2) & kCommandMaster; }

bool ConfigSpace::message_enabled() const {
  return bus_master() && (get(kMsiControl, 2) & kMsiEnable);
}

Message ConfigSpace::message() const {
  return {get(kMsiAddress, 8), static_cast<uint16_t>(get(kMsiData, 2))};
}

uint32_t ConfigSpace::bar0() const { return static_cast<uint32_t>(get(kBar0, 4)); }

uint64_t ConfigSpace::get(unsigned offset, unsigned bytes) const {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value |= uint64_t{values_[offset + i]} << (8 * i);
  return value;
}

void ConfigSpace::set(unsigned offset, unsigned bytes, uint64_t value, uint64_t writable) {
  for (unsigned i = 0; i < bytes; i++) {
    values_[offset + i] = static_cast<uint8_t>(value >> (8 * i));
    writable_[offset + i] = static_cast<uint8_t>(writable >> (8 * i));
  }
}

}  // namespace mxe::pci
