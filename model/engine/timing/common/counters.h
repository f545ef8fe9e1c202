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
/// intervals of cycles; a snapshot counts only cycles before it. While enabled, every cycle counts
/// in `total` and in exactly one of mac_active, the stalls and idle. A new counter needs no change
/// here: model/regs/mxe.rdl names it, and the block where the event occurs calls add().
class Counters {
 public:
  using Values = CounterArray;

  explicit Counters(TracePoint trace = TracePoint()) : trace_(trace) {}

  /// Counts `amount` in every cycle from `begin` to before `end`. A wait is added when it ends, so
  /// it may begin before the settled cycle; earlier snapshots counted it as idle.
  void add(Counter counter, uint64_t begin, uint64_t end, uint64_t amount = 1);
  /// Removes all counts from `cycle` on, which must not be settled.
  void cut(uint64_t cycle);
  /// Counts the cycles before `cycle`; later calls must not have an earlier cycle.
  void settle(uint64_t cycle);
  void enable(uint64_t cycle, bool enabled);
  /// Clears all counters (counter_clear_i in `cycle`); counting resumes in the next cycle.
  void clear(uint64_t cycle);
  /// Sets the counters at the start of `cycle`; `total` must be the sum of its parts.
  void set(uint64_t cycle, const Values& values);
  /// Copies the counts of all cycles before `cycle` for software (counter_snapshot_i).
  void snapshot(uint64_t cycle);
  /// Intervals not yet counted to their end.
  std::size_t open_intervals() const { return intervals_.size(); }
  const Values& snapshot_values() const { return snapshot_; }

  /// Call only between settle() and the next event.
  void visit(StateVisitor& visitor);
  const Values& counted() const { return live_; }
  /// Adds the counts since `before` another `periods` times, in `cycles` cycles. Excludes NaN
  /// results and saturations, which depend on data; use add() for them.
  void repeat(const Values& before, uint64_t periods, uint64_t cycles);

 private:
  struct Interval {
    uint64_t begin, end, amount;
    Counter counter;
  };

  /// Cycles with CTRL.enable set, `end` excluded.
  struct Span {
    uint64_t begin = 0, end = 0;
  };
  // Times that CTRL.enable may be cleared within one wait of the array, if counts are to be exact.
  static constexpr std::size_t kKeptSpans = 64;

  uint64_t enabled_within(uint64_t begin, uint64_t end);

  TracePoint trace_;
  bool enabled_ = false;
  uint64_t enabled_cycle_ = 0;
  History<Span, kKeptSpans> enabled_before_;
  uint64_t settled_cycle_ = 0, cleared_cycle_ = 0;
  uint64_t interventions_ = 0;  // calls of enable(), set() and clear()
  std::vector<Interval> intervals_;
  Values live_{};  // without idle, the remainder of total
  Values snapshot_{};
};

}  // namespace mxe::engine
