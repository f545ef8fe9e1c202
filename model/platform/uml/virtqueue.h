// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/platform/uml/guest_memory.h"
#include "model/platform/uml/protocol.h"

namespace mxe::uml {

struct Piece {
  uint8_t* data = nullptr;
  std::size_t bytes = 0;
};

struct Buffer {
  uint16_t head = 0;
  std::vector<Piece> readable, writable;

  /// Returns the readable bytes. Throws ProtocolError if there are more than `most`.
  std::vector<uint8_t> read(std::size_t most) const;
  /// Copies `data` into the writable pieces. Throws ProtocolError if they are too small.
  void write(const uint8_t* data, std::size_t bytes) const;
};

/// The device side of a split virtqueue. Linux may modify it at any time, so each number is read
/// once and checked before use. Invalid contents throw ProtocolError.
class Virtqueue {
 public:
  static constexpr uint32_t kMostEntries = 1024;

  explicit Virtqueue(GuestMemory& memory) : memory_(memory) {}

  void set_size(uint32_t entries);
  void set_addresses(const VringAddresses& addresses);
  void set_base(uint32_t next);
  uint16_t base() const { return next_; }
  void enable(bool enabled) { enabled_ = enabled; }

  std::optional<Buffer> pop();
  void push(const Buffer& buffer, std::size_t written);

 private:
  struct Descriptor {
    uint64_t address = 0;
    uint32_t length = 0;
    uint16_t flags = 0, next = 0;
  };

  uint8_t* locate(uint64_t address, uint64_t bytes, const char* what) const;
  Descriptor descriptor(uint16_t index) const;
  void add_piece(Buffer& buffer, const Descriptor& descriptor) const;
  bool ready() const { return enabled_ && entries_ != 0 && placed_; }

  GuestMemory& memory_;
  bool enabled_ = false, placed_ = false;
  uint32_t entries_ = 0;
  uint64_t descriptors_ = 0, available_ = 0, used_ = 0;
  uint16_t next_ = 0;
  uint16_t next_used_ = 0;
};

}  // namespace mxe::uml
