// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mxe::pci {

/// Identifies a function. MXE has no vendor id of the PCI-SIG; the default is "MX" in ASCII.
struct Ids {
  uint16_t vendor = 0x4d58;
  uint16_t device = 0x0001;
  uint8_t revision = 0;
};

struct Message {
  uint64_t address = 0;
  uint16_t data = 0;

  bool operator==(const Message& other) const {
    return address == other.address && data == other.data;
  }
};

/// Configuration space of a processing accelerator: 4 KiB BAR, MSI (one message), no interrupt pin.
class ConfigSpace {
 public:
  static constexpr std::size_t kBytes = 256;
  static constexpr uint64_t kBar0Bytes = 4096;
  static constexpr unsigned kMsi = 0x40;

  explicit ConfigSpace(const Ids& ids);

  /// Addresses outside read as all ones.
  void read(uint64_t offset, std::size_t bytes, uint8_t* data) const;
  /// Writes the writable bits; everything else is ignored.
  void write(uint64_t offset, std::size_t bytes, const uint8_t* data);

  bool memory_enabled() const;
  bool bus_master() const;
  /// True if it may send message(), which is a memory access too.
  bool message_enabled() const;
  Message message() const;
  uint32_t bar0() const;

 private:
  uint64_t get(unsigned offset, unsigned bytes) const;
  void set(unsigned offset, unsigned bytes, uint64_t value, uint64_t writable = 0);

  std::array<uint8_t, kBytes> values_{};
  std::array<uint8_t, kBytes> writable_{};
};

}  // namespace mxe::pci
