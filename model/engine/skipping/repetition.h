// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/engine/skipping/state.h"
#include "model/params/counter_array.h"

namespace mxe::engine {

/// Detects that a job repeats itself by comparing the datapath's state with earlier cycles'.
class Repetition {
 public:
  /// Equal periods that may be skipped from the current cycle on.
  struct Skip {
    uint64_t periods = 0;
    uint64_t cycles = 0;      ///< of one period
    uint64_t iterations = 0;  ///< of the loop in one period
    CounterArray before;      ///< counts at the begin of the last period
  };

  /// A record whose memory is reused.
  StateVisitor::Record& spare() { return spare_; }
  /// Call at the start of a job.
  void clear();
  /// Stores the record of `visitor`, made in cycle `now`. Returns a skip that ends by cycle
  /// `limit`, if there is one.
  std::optional<Skip> find(StateVisitor& visitor, uint64_t now, uint64_t limit,
                           const CounterArray& counted);

 private:
  struct Record {
    StateVisitor::Record state;
    uint64_t cycle = 0;
    CounterArray counted{};
  };
  /// Records of one loop; clear() keeps their memory.
  struct Records {
    std::vector<Record> all;  // the first `count` are valid
    std::size_t count = 0;
    std::unordered_map<uint64_t, std::size_t> latest;  // hash -> index of the last record with it

    void clear();
  };

  static std::optional<Skip> skip_between(const Record& before, const Record& is, uint64_t limit);

  static constexpr std::size_t kMaxRecords = 512;

  std::array<Records, 4> records_;  // by Loop
  StateVisitor::Record spare_;
};

}  // namespace mxe::engine
