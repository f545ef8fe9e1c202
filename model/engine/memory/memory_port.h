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

/// The response of the bus, as AXI4 encodes it.
enum class BusResponse : uint8_t { okay = 0, slave_error = 2, decode_error = 3 };

/// One burst.
struct MemoryRequest {
  bool write = false;
  uint64_t cycle = 0;  ///< in which the address of a read, or the last beat of a write, is accepted
  uint64_t address = 0;   ///< of the first beat
  std::size_t bytes = 0;  ///< whole beats
  /// Destination of a read, source of a write. Null: only the time counts.
  uint8_t* data = nullptr;
  /// Byte enables of a write: 0xFF for each byte to write, else 0. Null: all bytes.
  const uint8_t* enables = nullptr;
};

/// An outstanding burst. The port that requests the burst owns the ticket; the memory completes it
/// in the call of MemoryPort::request() or later. Until then ticket and data keep their addresses.
class Ticket {
 public:
  /// `times`: the cycles of the beats.
  void complete(const BeatTimes& times, BusResponse response = BusResponse::okay) {
    times_ = times;
    response_ = response;
    is_complete_ = true;
  }
  bool is_complete() const { return is_complete_; }
  // After complete():
  const BeatTimes& times() const { return times_; }
  BusResponse response() const { return response_; }
  bool has_error() const { return response_ != BusResponse::okay; }

 private:
  BeatTimes times_;
  BusResponse response_ = BusResponse::okay;
  bool is_complete_ = false;
};

/// The memory, as an engine reaches it: without SystemC, with times in clock cycles.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;

  /// Serves a burst. The memory of a Core completes the ticket before it returns, because the core
  /// computes the times that follow at once; that of an AxiMemory may complete it later.
  virtual void request(const MemoryRequest& request, Ticket& ticket) = 0;
  /// The channels, if the times depend on nothing else; else nulls.
  virtual DirectChannels channels() { return {}; }
  /// The bytes from `address` on, where memory is reached without transactions; else null.
  virtual uint8_t* direct(uint64_t /*address*/, uint64_t /*bytes*/) { return nullptr; }
};

}  // namespace mxe::engine
