// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/engine/skipping/state.h"
#include "model/engine/timing/common/trace.h"
#include "model/params/counter_array.h"

namespace mxe::engine {

/// Performance counters (mxe_counters). The core computes events ahead of time and adds them as
/// intervals of cycles. Only cycles before the current one are counted, so a snapshot in the middle
/// of a job is right. While enabled, every cycle counts in `total` and in exactly one of
/// mac_active, the stalls and idle.
class Counters {
 public:
  using Values = CounterArray;

  /// The waits of the array are traced at `trace`.
  explicit Counters(TracePoint trace = TracePoint()) : trace_(trace) {}

  /// Counts `amount` in every cycle from `begin` to before `end`. The cause of a wait is known only
  /// when the wait ends, so the interval may lie before the settled cycle; an earlier snapshot has
  /// counted it as idle.
  void add(Counter counter, uint64_t begin, uint64_t end, uint64_t amount = 1);
  /// Removes the counts from `cycle` on, which must not have been settled.
  void forget(Counter counter, uint64_t cycle);
  /// Moves counts of single cycles after `cycle` to `cycle`, which must not have been settled.
  void bring_forward(Counter counter, uint64_t cycle);
  /// Subtracts `amount` from the latest interval, which must not have been settled.
  void take_back(Counter counter, uint64_t amount);
  /// Counts the cycles before `cycle`. Cycles never go back.
  void settle(uint64_t cycle);
  /// CTRL.enable changes in `cycle`.
  void enable(uint64_t cycle, bool enabled);
  /// Clears all counters (counter_clear_i in `cycle`); `cycle` is the last that is not counted.
  void clear(uint64_t cycle);
  /// Sets the counters at the start of `cycle`; `total` must be the sum of its parts.
  void set(uint64_t cycle, const Values& values);
  /// Keeps the counts of all cycles before `cycle` for software to read (counter_snapshot_i).
  void snapshot(uint64_t cycle);
  /// Number of intervals not yet counted to their end.
  std::size_t open_intervals() const { return intervals_.size(); }
  const Values& snapshot_values() const { return snapshot_; }

  /// May be called between settle() and the next event.
  void visit(StateVisitor& visitor);
  /// Counts so far.
  const Values& counted() const { return live_; }
  /// Counts what has happened since counted() was `before` another `periods` times, in `cycles`
  /// cycles; except NaN results and saturations, which depend on data and are left to add().
  void repeat(const Values& before, uint64_t periods, uint64_t cycles);

 private:
  struct Interval {
    uint64_t begin, end, amount;
    Counter counter;
  };

  /// Cycles in which the engine was enabled, `end` not included.
  struct Span {
    uint64_t begin = 0, end = 0;
  };
  // More than software can change CTRL.enable within one wait of the array.
  static constexpr std::size_t kKeptSpans = 64;

  uint64_t enabled_within(uint64_t begin, uint64_t end);

  TracePoint trace_;
  bool enabled_ = false;
  uint64_t enabled_cycle_ = 0;
  History<Span, kKeptSpans> enabled_before_;
  uint64_t settled_cycle_ = 0, cleared_cycle_ = 0;
  uint64_t interventions_ = 0;  // how often software has set or cleared them
  std::vector<Interval> intervals_;
  Values live_{};  // without idle, which is what the others leave of total
  Values snapshot_{};
};

}  // namespace mxe::engine
