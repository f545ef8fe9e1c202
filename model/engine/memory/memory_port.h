// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/engine/memory/memory_timing.h"

namespace mxe::engine {

/// How many bursts the interconnect between engine and memory takes at a time, per direction.
struct PortLimits {
  unsigned reads = 128;
  unsigned writes = 128;

  /// Throws LimitError with one line about the first value that is 0 or more than the
  /// engine's ports ever have under way (kReadBursts, kWriteBursts).
  void validate() const;
};

/// The memory as the engine's core reaches it: plain C++, with times in clock cycles.
class MemoryPort {
 public:
  struct Response {
    bool ok = true;  ///< the bus answered OKAY
    BeatTimes times;
  };

  virtual ~MemoryPort() = default;

  /// A read burst whose address is accepted in `cycle`. `address` and `bytes` are whole beats.
  /// `data` may be null: only the time counts.
  virtual Response read(uint64_t cycle, uint64_t address, std::size_t bytes, uint8_t* data) = 0;
  /// A write burst whose last beat is accepted in `cycle`. `enables` has 0xFF for each byte to
  /// write, else 0; null writes all. `data` may be null: only the time counts.
  virtual Response write(uint64_t cycle, uint64_t address, std::size_t bytes, const uint8_t* data,
                         const uint8_t* enables) = 0;
  /// The channels, if the times depend on nothing else; else nulls.
  virtual DirectChannels channels() { return {}; }
  /// The bytes from `address` on, where memory is reached without transactions; else null.
  virtual uint8_t* direct(uint64_t /*address*/, uint64_t /*bytes*/) { return nullptr; }
};

}  // namespace mxe::engine
