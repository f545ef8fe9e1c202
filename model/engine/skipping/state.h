// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/params/hardware.h"

namespace mxe::engine {

/// A loop of the nest (Walk) whose iterations may be equal cycle by cycle. `tile` counts a stripe's
/// tiles in jobs with one A chunk, where groups change nothing; `group` and `chunk` are for jobs
/// with several.
enum class Loop : uint8_t { tile, chunk, group, stripe };

/// Visits everything in the datapath that affects its future; each block has a visit(). Two kinds:
///
/// - A recorder stores cycles relative to the present, without the position in one loop. Equal
///   records are followed by equal events as long as the iterations of that loop are equal.
/// - A mover advances all state by some cycles and iterations at once.
class StateVisitor {
 public:
  /// Position of a walk in the loop, see Walk::visit.
  struct Place {
    uint64_t iteration;
    uint64_t room;  ///< number of next iterations like this one
  };

  struct Record {
    std::vector<uint64_t> words;
    std::vector<Place> places;

    void clear() {
      words.clear();
      places.clear();
    }
  };

  /// Records the state in cycle `now`. Times up to `floor` (at most `now`) are recorded as equal,
  /// except by exact_cycle(). The memory of `used` is reused.
  static StateVisitor recorder(Loop loop, uint64_t now, uint64_t floor, Record&& used) {
    StateVisitor visitor(loop);
    visitor.now_ = now;
    visitor.floor_ = std::min(now, floor);
    visitor.record_ = std::move(used);
    visitor.record_.clear();
    return visitor;
  }
  static StateVisitor mover(Loop loop, uint64_t cycles, uint64_t iterations) {
    StateVisitor visitor(loop);
    visitor.moves_ = true;
    visitor.cycles_ = cycles;
    visitor.iterations_ = iterations;
    return visitor;
  }

  Loop loop() const { return loop_; }
  bool moves() const { return moves_; }
  uint64_t iterations() const { return iterations_; }

  bool matters(uint64_t cycle) const { return cycle > floor_; }

  void cycle(uint64_t& value) {
    if (value == kNever) {
      this->value(kNever);
    } else if (moves_) {
      value += cycles_;
    } else {
      record_.words.push_back(std::max(value, floor_) - now_);
    }
  }
  /// A cycle that is recorded exactly, even before the floor.
  void exact_cycle(uint64_t& value) {
    if (moves_) {
      value += cycles_;
    } else {
      record_.words.push_back(value - now_);
    }
  }
  void fixed_point(uint64_t& value, unsigned fraction) {
    if (moves_) {
      value += cycles_ << fraction;
    } else {
      record_.words.push_back(std::max(value, floor_ << fraction) - (now_ << fraction));
    }
  }
  /// A value that must be equal. Pass running numbers as differences.
  void value(uint64_t value) {
    if (!moves_) record_.words.push_back(value);
  }
  /// The most recent values of a non-decreasing sequence of cycles, at most `most` of them.
  template <std::size_t N>
  void history(History<uint64_t, N>& history, uint64_t most = N) {
    sequence(std::min<uint64_t>(history.count(), most),
             [&](uint64_t age) -> uint64_t& { return history.ago(age); });
  }
  /// As history(), for a ring to which `count` values were written.
  void ring(std::vector<uint64_t>& ring, uint64_t count) {
    const uint64_t size = ring.size();
    uint64_t slot = count % size;
    sequence(std::min(count, size), [&](uint64_t) -> uint64_t& {
      slot = slot == 0 ? size - 1 : slot - 1;
      return ring[slot];
    });
  }
  /// Position of a walk that follows the loop.
  void place(uint64_t iteration, uint64_t room) { record_.places.push_back({iteration, room}); }

  Record& record() { return record_; }

 private:
  explicit StateVisitor(Loop loop) : loop_(loop) {}

  /// Visits `kept` values, the newest first. A recorder stops at the first one at or before the
  /// floor.
  template <class At>
  void sequence(uint64_t kept, const At& at) {
    uint64_t age = 1;
    for (; age <= kept; age++) {
      uint64_t& time = at(age);
      if (!moves_ && time <= floor_) break;
      cycle(time);
    }
    value(age);
  }

  Loop loop_;
  bool moves_ = false;
  uint64_t now_ = 0, floor_ = 0;
  uint64_t cycles_ = 0, iterations_ = 0;
  Record record_;
};

/// The part of an address that affects times: offset in a beat, or in 4 KiB if rows may cross
/// pages.
class AddressPhase {
 public:
  AddressPhase() = default;
  /// All addresses are multiples of the lowest set bit of `any`; rows have at most `bytes`.
  AddressPhase(uint64_t any, uint64_t bytes, unsigned beat_bytes) {
    any |= kPageBytes;
    const uint64_t alignment = any & ~(any - 1);
    modulus_ = alignment >= bytes ? beat_bytes : kPageBytes;
  }
  uint64_t of(uint64_t address) const { return address % modulus_; }

 private:
  uint64_t modulus_ = kPageBytes;
};

}  // namespace mxe::engine
