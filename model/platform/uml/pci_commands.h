// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/platform/uml/virtqueue.h"

namespace mxe::uml {

/// A function in a PCI slot; implemented by Machine and by tests.
class PciTarget {
 public:
  virtual ~PciTarget() = default;
  virtual void read_config(uint64_t offset, std::size_t bytes, uint8_t* data) = 0;
  virtual void write_config(uint64_t offset, std::size_t bytes, const uint8_t* data) = 0;
  virtual void read_bar0(uint64_t offset, std::size_t bytes, uint8_t* data) = 0;
  virtual void write_bar0(uint64_t offset, std::size_t bytes, const uint8_t* data) = 0;
};

/// Executes Linux's accesses to a PCI function, received as buffers of a queue.
class PciCommands {
 public:
  static constexpr std::size_t kMostBytes = 4096;  ///< per access

  explicit PciCommands(PciTarget& target) : target_(target) {}

  /// Returns the number of bytes written into the buffer. Throws ProtocolError if it is invalid.
  std::size_t execute(const Buffer& buffer);

  uint64_t register_accesses() const { return register_accesses_; }

 private:
  std::size_t read(const PciRequest& request, const Buffer& buffer);
  void write(const PciRequest& request, const uint8_t* data, std::size_t bytes);

  PciTarget& target_;
  uint64_t register_accesses_ = 0;
};

}  // namespace mxe::uml
