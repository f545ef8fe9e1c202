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

/// Detects that a job repeats itself: keeps records of the datapath's state in earlier cycles and
/// compares them with the present one.
class Repetition {
 public:
  /// Periods that may be skipped from the present on, because each would be like the last.
  struct Skip {
    uint64_t periods = 0;
    uint64_t cycles = 0;      ///< of one period
    uint64_t iterations = 0;  ///< of the loop in one period
    CounterArray before;      ///< counts a period ago
  };

  /// A record whose memory may be used for the next one.
  StateVisitor::Record& spare() { return spare_; }
  /// A job starts.
  void clear();
  /// Keeps the record of `visitor`, made in cycle `now`. Returns a skip that ends before `limit`,
  /// if there is one.
  std::optional<Skip> find(StateVisitor& visitor, uint64_t now, uint64_t limit,
                           const CounterArray& counted);

 private:
  struct Record {
    StateVisitor::Record state;
    uint64_t cycle = 0;
    CounterArray counted{};
  };
  /// Those of a loop. Their memory is used again.
  struct Records {
    std::vector<Record> all;  // the first `count` of them
    std::size_t count = 0;
    std::unordered_map<uint64_t, std::size_t> latest;  // by hash: number of the last such record

    void clear();
  };

  static std::optional<Skip> skip_between(const Record& before, const Record& is, uint64_t limit);

  /// Most records that are kept of a loop.
  static constexpr std::size_t kMaxRecords = 512;

  std::array<Records, 4> records_;  // by loop
  StateVisitor::Record spare_;
};

}  // namespace mxe::engine
