// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/memory/memory_port.h"
#include "model/engine/memory/memory_timing.h"

namespace mxe::harness {

/// Memory accessible without transactions, with the channels that compute times of bursts.
class DirectMemory {
 public:
  DirectMemory() = default;
  DirectMemory(uint64_t begin, uint64_t size, uint8_t* data, const engine::DirectChannels& channels)
      : begin_(begin), size_(size), data_(data), channels_(channels) {}

  bool covers(uint64_t address, uint64_t bytes) const {
    return address - begin_ < size_ && bytes <= size_ - (address - begin_);
  }
  /// True if [first, last] overlaps the range, or begins directly after it.
  bool overlaps(uint64_t first, uint64_t last) const {
    return first <= begin_ + size_ && last >= begin_;
  }
  uint8_t* at(uint64_t address) const { return data_ + (address - begin_); }
  const engine::DirectChannels& channels() const { return channels_; }
  /// Serves a burst. Its bytes must be in the range if it has data.
  void serve(const engine::MemoryRequest& request, engine::BeatSize beat,
             engine::Ticket& ticket) const;

 private:
  uint64_t begin_ = 0, size_ = 0;
  uint8_t* data_ = nullptr;
  engine::DirectChannels channels_;
};

}  // namespace mxe::harness
