// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mxe::pci {

/// What names a function. MXE has no vendor id of the PCI-SIG; the default spells "MX" in ASCII.
struct Ids {
  uint16_t vendor = 0x4d58;
  uint16_t device = 0x0001;
  uint8_t revision = 0;
};

/// A message-signalled interrupt: a write of `data` to `address` in the guest's memory.
struct Message {
  uint64_t address = 0;
  uint16_t data = 0;

  bool operator==(const Message& other) const {
    return address == other.address && data == other.data;
  }
};

/// The 256 bytes of configuration space of a processing accelerator with one BAR of 4 KiB and MSI
/// with one 64-bit message. It has no interrupt pin.
class ConfigSpace {
 public:
  static constexpr std::size_t kBytes = 256;
  static constexpr uint64_t kBar0Bytes = 4096;
  static constexpr unsigned kMsi = 0x40;  ///< offset of the MSI capability

  explicit ConfigSpace(const Ids& ids);

  /// Reads `bytes` bytes into `data`. What lies outside reads as all ones.
  void read(uint64_t offset, std::size_t bytes, uint8_t* data) const;
  /// Writes the bits that a guest may write; the others, and what lies outside, keep their values.
  void write(uint64_t offset, std::size_t bytes, const uint8_t* data);

  /// Whether the function answers accesses to BAR 0.
  bool memory_enabled() const;
  /// Whether the function may access the guest's memory.
  bool bus_master() const;
  /// Whether it may send `message()`: a message is an access to memory, too.
  bool message_enabled() const;
  Message message() const;
  /// The address that the guest gave BAR 0.
  uint32_t bar0() const;

 private:
  uint64_t get(unsigned offset, unsigned bytes) const;
  void set(unsigned offset, unsigned bytes, uint64_t value, uint64_t writable = 0);

  std::array<uint8_t, kBytes> values_{};
  std::array<uint8_t, kBytes> writable_{};  // bits
};

}  // namespace mxe::pci
