// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/platform/uml/virtqueue.h"

namespace mxe::uml {

/// What a function in a PCI slot answers; pci::PciFunction has these, and tests have others.
class PciTarget {
 public:
  virtual ~PciTarget() = default;
  virtual void read_config(uint64_t offset, std::size_t bytes, uint8_t* data) = 0;
  virtual void write_config(uint64_t offset, std::size_t bytes, const uint8_t* data) = 0;
  virtual void read_bar0(uint64_t offset, std::size_t bytes, uint8_t* data) = 0;
  virtual void write_bar0(uint64_t offset, std::size_t bytes, const uint8_t* data) = 0;
};

/// Carries out the accesses of Linux to a PCI function, which come as buffers of a queue.
class PciCommands {
 public:
  static constexpr std::size_t kMostBytes = 4096;  ///< of one access

  explicit PciCommands(PciTarget& target) : target_(target) {}

  /// Returns how many bytes it wrote into the buffer. Throws ProtocolError if that is no request.
  std::size_t execute(const Buffer& buffer);

  /// Accesses to BAR 0 so far.
  uint64_t register_accesses() const { return register_accesses_; }

 private:
  std::size_t read(const PciRequest& request, const Buffer& buffer);
  void write(const PciRequest& request, const uint8_t* data, std::size_t bytes);

  PciTarget& target_;
  uint64_t register_accesses_ = 0;
};

}  // namespace mxe::uml
