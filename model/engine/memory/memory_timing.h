// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/engine/memory/log2_ceil.h"

namespace mxe::engine {

/// Cycles of an access to a memory, including the path to the memory.
struct MemoryTiming {
  unsigned latency = 32;  ///< cycles from a request to its first beat, at least 1
  /// Bandwidth of each direction, or of both together if half_duplex; 0: one beat a cycle. A
  /// direction moves at most one beat a cycle.
  double bytes_per_cycle = 0;
  bool half_duplex = false;  ///< the bytes of both directions share that bandwidth
  uint64_t jitter_seed = 0;  ///< 0 = none, else 0 to jitter_cycles more latency per request
  unsigned jitter_cycles = 24;

  /// Throws LimitError with one line about the first value that is out of its limits.
  void validate() const;
  /// Cycles of more latency of request number `request` of a direction. `stream` makes the jitter
  /// of the two directions of one memory differ.
  uint64_t jitter(uint64_t request, uint64_t stream) const;
  /// Cycles for which a beat occupies the bandwidth, with BeatTimes::kFraction fraction bits.
  uint64_t beat_interval(unsigned beat_bytes) const;
};

/// The clock cycles in which the beats of one burst are on the bus. Fractions of a cycle are kept,
/// so that a bandwidth of, say, 12.8 bytes a cycle is met exactly in the long run.
class BeatTimes {
 public:
  static constexpr unsigned kFraction = 16;  ///< fraction bits of the constructor's arguments

  BeatTimes() = default;
  BeatTimes(uint64_t first, uint64_t interval) : first_(first), interval_(interval) {}

  uint64_t beat(uint64_t i) const { return round_up(first_ + i * interval_); }
  /// The end of the first `count` beats, with kFraction fraction bits.
  uint64_t end(uint64_t count) const { return first_ + count * interval_; }
  /// Shifts the burst `cycles` earlier, but not before `earliest` (kFraction fraction bits).
  BeatTimes sooner(uint64_t cycles, uint64_t earliest) const {
    return {std::max(first_ - (cycles << kFraction), earliest), interval_};
  }
  /// When the first one begins, with kFraction fraction bits.
  uint64_t& first() { return first_; }
  /// True if one beat arrives in each cycle.
  bool one_a_cycle() const { return interval_ == 1u << kFraction; }

  static uint64_t round_up(uint64_t fixed) { return (fixed + (1u << kFraction) - 1) >> kFraction; }

 private:
  uint64_t first_ = 0;
  uint64_t interval_ = 1u << kFraction;
};

/// The bandwidth of a half-duplex memory, which the bursts of both directions occupy one after the
/// other. The engine's model makes some calls earlier than others that are issued before: a burst
/// may take a free time that lies before bursts that were served already.
class MemoryBus {
 public:
  /// Occupies the first free time of this length from `from` on; returns its begin. All with
  /// BeatTimes::kFraction fraction bits.
  uint64_t occupy(uint64_t from, uint64_t length);

  /// Calls visit() with each time that later calls depend on.
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
  static constexpr std::size_t kMostBusy = 32;  // times that are remembered

  uint64_t free_cycle_ = 0;  // no burst is served before
  std::vector<Busy> busy_;   // apart from each other, in rising order
};

/// One direction of a memory. Requests are served in order: the first beat of a request arrives at
/// max(issue + latency + jitter, end of the request before), the next ones at the bandwidth. In a
/// half-duplex memory a request also waits for bursts of the other direction.
class MemoryChannel {
 public:
  /// `stream`: see MemoryTiming::jitter. `bus`: of a half-duplex memory, else null.
  MemoryChannel(const MemoryTiming& timing, uint64_t stream, MemoryBus* bus = nullptr);

  /// Serves a request of `beats` beats issued in clock cycle `issue`.
  BeatTimes serve(uint64_t issue, uint64_t beats, unsigned beat_bytes);
  /// The same for a write whose last beat is handed over in `cycle`. The memory takes beats as they
  /// come, so the write counts as issued when its first beat would be, at one beat a cycle.
  BeatTimes serve_write(uint64_t cycle, uint64_t beats, unsigned beat_bytes) {
    return serve(write_issue(cycle, beats), beats, beat_bytes);
  }
  static uint64_t write_issue(uint64_t cycle, uint64_t beats) {
    return cycle - (cycle < beats ? cycle : beats - 1);
  }

  /// True without jitter: the same requests at the same distances take the same times.
  bool is_regular() const { return timing_.jitter_seed == 0; }
  uint64_t requests() const { return requests_; }
  unsigned latency() const { return timing_.latency; }
  /// The end of the last request, with BeatTimes::kFraction fraction bits: all that a regular
  /// channel remembers.
  uint64_t& busy_until() { return free_; }
  /// Null unless the memory is half-duplex.
  MemoryBus* bus() { return bus_; }

 private:
  MemoryTiming timing_;
  uint64_t stream_;
  MemoryBus* bus_;
  unsigned beat_bytes_ = 0;  // the size of a beat for which the intervals were computed
  uint64_t interval_ = 0, bus_interval_ = 0;
  uint64_t requests_ = 0;
  uint64_t free_ = 0;  // with BeatTimes::kFraction fraction bits
};

/// Both directions of a memory.
class MemoryChannels {
 public:
  explicit MemoryChannels(const MemoryTiming& timing) : timing_(timing) {}
  MemoryChannels(const MemoryChannels&) = delete;
  MemoryChannels& operator=(const MemoryChannels&) = delete;

  MemoryChannel& read() { return read_; }
  MemoryChannel& write() { return write_; }
  /// From now on requests take the times that they would have from the beginning.
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

/// The size of a beat, a power of two: how bytes and addresses divide into beats, which happens
/// several times a row and need not take a division.
class BeatSize {
 public:
  explicit BeatSize(unsigned bytes) : bytes_(bytes), log2_(log2_ceil(bytes)) {}

  unsigned bytes() const { return bytes_; }
  /// Bytes before an address in its beat. Beats of 32 bytes, address 70: 6.
  unsigned offset(uint64_t address) const { return static_cast<unsigned>(address) & (bytes_ - 1); }
  /// Whole beats in `bytes` bytes. Beats of 32 bytes: 70 -> 2.
  uint64_t whole(uint64_t bytes) const { return bytes >> log2_; }
  /// Beats that [address, address + length) touches; length at least 1.
  uint64_t touched(uint64_t address, uint64_t length) const {
    return whole(address + length - 1) - whole(address) + 1;
  }

 private:
  unsigned bytes_, log2_;
};

/// The channels of a memory. An initiator that was granted direct access needs no transactions: it
/// moves the bytes through its pointer and takes the times from here.
struct DirectChannels {
  MemoryChannel* read = nullptr;
  MemoryChannel* write = nullptr;
};

}  // namespace mxe::engine
