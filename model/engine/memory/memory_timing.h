// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/engine/memory/log2_ceil.h"

namespace mxe::engine {

/// Timing of a memory, including the path to it.
struct MemoryTiming {
  unsigned latency = 32;  ///< cycles from a request to its first beat, at least 1
  /// Bandwidth of each direction, or of both together if half_duplex; 0: one beat per cycle. Each
  /// direction moves at most one beat per cycle.
  double bytes_per_cycle = 0;
  bool half_duplex = false;  ///< both directions share that bandwidth
  uint64_t jitter_seed = 0;  ///< 0: none; else each request has 0 to jitter_cycles more latency
  unsigned jitter_cycles = 24;

  /// Throws LimitError for the first value outside its limits.
  void validate() const;
  /// Additional latency of request `request` in cycles. `stream` distinguishes the directions.
  uint64_t jitter(uint64_t request, uint64_t stream) const;
  /// Cycles per beat, with BeatTimes::kFraction fraction bits.
  uint64_t beat_interval(unsigned beat_bytes) const;
};

/// The cycles of a burst's beats, with fractions: 12.8 bytes per cycle are exact on average.
class BeatTimes {
 public:
  static constexpr unsigned kFraction = 16;  ///< fraction bits of the constructor's arguments

  BeatTimes() = default;
  BeatTimes(uint64_t first, uint64_t interval) : first_(first), interval_(interval) {}

  uint64_t beat(uint64_t i) const { return round_up(first_ + i * interval_); }
  bool one_a_cycle() const { return interval_ == 1u << kFraction; }

  static uint64_t round_up(uint64_t fixed) { return (fixed + (1u << kFraction) - 1) >> kFraction; }

 private:
  uint64_t first_ = 0;
  uint64_t interval_ = 1u << kFraction;
};

/// The bandwidth shared by both directions of a half-duplex memory. Bursts do not arrive in the
/// order of their cycles, so a burst may use a free time before earlier served ones.
class MemoryBus {
 public:
  /// Occupies the first free time of `length` from `from` on and returns its begin, with
  /// BeatTimes::kFraction fraction bits.
  uint64_t occupy(uint64_t from, uint64_t length);

  /// Calls visit() with each time that affects later calls.
  template <class Visit>
  void for_each_time(const Visit& visit) {
    visit(free_cycle_);
    for (Busy& busy : busy_) {
      visit(busy.begin);
      visit(busy.end);
    }
  }
  std::size_t count() const { return busy_.size(); }

 private:
  struct Busy {
    uint64_t begin, end;
  };
  static constexpr std::size_t kMostBusy = 32;  // most entries of busy_

  uint64_t free_cycle_ = 0;  // no burst begins before this time
  std::vector<Busy> busy_;   // disjoint, ascending
};

/// One direction of a memory. Requests are served in order. The first beat arrives at max(issue +
/// latency + jitter, end of the previous request), the others at the bandwidth. In a half-duplex
/// memory, requests also wait for the other direction.
class MemoryChannel {
 public:
  /// `bus`: null unless half-duplex.
  MemoryChannel(const MemoryTiming& timing, uint64_t stream, MemoryBus* bus = nullptr);

  BeatTimes serve(uint64_t issue, uint64_t beats, unsigned beat_bytes);
  /// Serves a write whose last beat is accepted in `cycle`, as issued `beats` - 1 cycles earlier.
  BeatTimes serve_write(uint64_t cycle, uint64_t beats, unsigned beat_bytes) {
    return serve(write_issue(cycle, beats), beats, beat_bytes);
  }
  static uint64_t write_issue(uint64_t cycle, uint64_t beats) {
    return cycle - (cycle < beats ? cycle : beats - 1);
  }

  /// True without jitter: equal distances between requests give equal times.
  bool is_regular() const { return timing_.jitter_seed == 0; }
  uint64_t requests() const { return requests_; }
  unsigned latency() const { return timing_.latency; }
  /// End of the last request (BeatTimes::kFraction fraction bits): a regular channel's only state,
  /// except bus().
  uint64_t& busy_until() { return free_; }
  MemoryBus* bus() { return bus_; }

 private:
  MemoryTiming timing_;
  uint64_t stream_;
  MemoryBus* bus_;
  unsigned beat_bytes_ = 0;  // for which the intervals were computed
  uint64_t interval_ = 0, bus_interval_ = 0;
  uint64_t requests_ = 0;
  uint64_t free_ = 0;  // with BeatTimes::kFraction fraction bits
};

class MemoryChannels {
 public:
  explicit MemoryChannels(const MemoryTiming& timing) : timing_(timing) {}
  MemoryChannels(const MemoryChannels&) = delete;
  MemoryChannels& operator=(const MemoryChannels&) = delete;

  MemoryChannel& read() { return read_; }
  MemoryChannel& write() { return write_; }
  /// Resets all state.
  void restart() {
    bus_ = {};
    read_ = MemoryChannel(timing_, 0, bus());
    write_ = MemoryChannel(timing_, 1, bus());
  }

 private:
  MemoryBus* bus() { return timing_.half_duplex ? &bus_ : nullptr; }

  MemoryTiming timing_;
  MemoryBus bus_;
  MemoryChannel read_{timing_, 0, bus()}, write_{timing_, 1, bus()};
};

/// Converts bytes to beats by shifts: a beat is a power of two.
class BeatSize {
 public:
  explicit BeatSize(unsigned bytes) : bytes_(bytes), log2_(log2_ceil(bytes)) {}

  unsigned bytes() const { return bytes_; }
  /// Offset of an address in its beat. Beats of 32 bytes, address 70: 6.
  unsigned offset(uint64_t address) const { return static_cast<unsigned>(address) & (bytes_ - 1); }
  /// Whole beats in `bytes` bytes. Beats of 32 bytes: 70 -> 2.
  uint64_t whole(uint64_t bytes) const { return bytes >> log2_; }
  /// Number of beats touched by [address, address + length), length at least 1.
  uint64_t touched(uint64_t address, uint64_t length) const {
    return whole(address + length - 1) - whole(address) + 1;
  }

 private:
  unsigned bytes_, log2_;
};

/// Channels of directly accessed memory: initiators copy the bytes and get the times here.
struct DirectChannels {
  MemoryChannel* read = nullptr;
  MemoryChannel* write = nullptr;
};

}  // namespace mxe::engine
