// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/engine/memory/memory_timing.h"

namespace mxe::engine {

/// Most outstanding bursts that the interconnect accepts per direction.
struct PortLimits {
  unsigned reads = 128;
  unsigned writes = 128;

  /// Throws LimitError unless values are 1 to kReadBursts or kWriteBursts.
  void validate() const;
};

/// Response of the bus, encoded as in AXI4.
enum class BusResponse : uint8_t { okay = 0, slave_error = 2, decode_error = 3 };

struct MemoryRequest {
  bool write = false;
  uint64_t cycle = 0;     ///< the address and, of a write, all beats have been accepted
  uint64_t address = 0;   ///< of the first beat
  std::size_t bytes = 0;  ///< whole beats
  /// Destination of a read, source of a write; null if only the time is needed.
  uint8_t* data = nullptr;
  /// Byte enables of a write: 0xFF for each byte to write, else 0. Null: all bytes.
  const uint8_t* enables = nullptr;
};

/// An outstanding burst. The port that issues it owns the ticket. Ticket and data stay at their
/// addresses until the memory calls complete(), within request() or later.
class Ticket {
 public:
  void complete(const BeatTimes& times, BusResponse response = BusResponse::okay) {
    times_ = times;
    response_ = response;
    is_complete_ = true;
  }
  bool is_complete() const { return is_complete_; }
  // Valid after complete():
  const BeatTimes& times() const { return times_; }
  BusResponse response() const { return response_; }
  bool has_error() const { return response_ != BusResponse::okay; }

 private:
  BeatTimes times_;
  BusResponse response_ = BusResponse::okay;
  bool is_complete_ = false;
};

/// The memory at the engine's port, without SystemC. Times are clock cycles.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;

  /// Serves a burst. Completes the ticket before it returns, or later (Core::take_responses()).
  /// The bursts come in the order of their cycles, reads before writes in the same cycle, except
  /// those for which takes_any_order(), whose tickets are complete at the return.
  virtual void request(const MemoryRequest& request, Ticket& ticket) = 0;
  /// True if a burst of these bytes may be requested before bursts of earlier cycles, because reads
  /// and writes have separate times. The engine then requests it as soon as its cycle is known.
  virtual bool takes_any_order(uint64_t /*address*/, uint64_t /*bytes*/) const { return false; }
  /// The channels if they alone determine the times, else nulls.
  virtual DirectChannels channels() { return {}; }
  /// Pointer to [address, address + bytes) if memory is accessible without transactions, else null.
  virtual uint8_t* direct(uint64_t /*address*/, uint64_t /*bytes*/) { return nullptr; }
};

}  // namespace mxe::engine
