// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/common/counters.h"

#include <algorithm>

namespace mxe::engine {
namespace {

std::size_t index(Counter counter) { return static_cast<std::size_t>(counter); }

const CounterInfo& info_of(Counter counter) { return counter_table[index(counter)]; }

}  // namespace

void Counters::add(Counter counter, uint64_t begin, uint64_t end, uint64_t amount) {
  const CounterInfo& info = info_of(counter);
  if (trace_ && info.wait_of_array) trace_.slice(Track::array, info.name, begin, end);
  if (begin < settled_cycle_) {
    const uint64_t from = std::max(begin, cleared_cycle_), to = std::min(end, settled_cycle_);
    live_[index(counter)] += enabled_within(from, to) * amount;
    begin = settled_cycle_;
  }
  if (begin >= end || amount == 0) return;
  // Set member by member, which is faster than copying an aggregate.
  Interval& interval = intervals_.emplace_back();
  interval.begin = begin;
  interval.end = end;
  interval.amount = amount;
  interval.counter = counter;
}

/// Cycles from `begin` to before `end` in which CTRL.enable was set. A wait is added when it ends,
/// after software may have changed CTRL.enable.
uint64_t Counters::enabled_within(uint64_t begin, uint64_t end) {
  const auto common = [begin, end](uint64_t from, uint64_t to) {
    from = std::max(from, begin);
    to = std::min(to, end);
    return from < to ? to - from : 0;
  };
  uint64_t cycles = enabled_ ? common(enabled_cycle_, end) : 0;
  enabled_before_.for_each([&](const Span& span) { cycles += common(span.begin, span.end); });
  return cycles;
}

void Counters::cut(uint64_t cycle) {
  for (Interval& interval : intervals_) interval.end = std::min(interval.end, cycle);
}

void Counters::settle(uint64_t cycle) {
  if (cycle <= settled_cycle_) return;
  std::size_t kept = 0;
  for (const Interval& interval : intervals_) {
    const uint64_t begin = std::max(interval.begin, settled_cycle_);
    const uint64_t end = std::min(interval.end, cycle);
    if (enabled_ && begin < end) live_[index(interval.counter)] += (end - begin) * interval.amount;
    if (interval.end <= cycle) continue;
    intervals_[kept] = interval;
    intervals_[kept++].begin = std::max(interval.begin, cycle);
  }
  intervals_.resize(kept);
  if (enabled_) live_[index(Counter::total)] += cycle - settled_cycle_;
  settled_cycle_ = cycle;
}

void Counters::visit(StateVisitor& visitor) {
  visitor.value(interventions_);
  for (Interval& interval : intervals_) {
    if (info_of(interval.counter).depends_on_data && !visitor.moves()) continue;
    visitor.cycle(interval.begin);
    visitor.cycle(interval.end);
    visitor.value(interval.amount);
    visitor.value(index(interval.counter));
  }
}

void Counters::repeat(const Values& before, uint64_t periods, uint64_t cycles) {
  for (std::size_t i = 0; i < kCounters; i++) {
    if (!counter_table[i].depends_on_data) live_[i] += periods * (live_[i] - before[i]);
  }
  settled_cycle_ += cycles;
}

void Counters::enable(uint64_t cycle, bool enabled) {
  settle(cycle);
  if (enabled_ && !enabled) enabled_before_.push({enabled_cycle_, cycle});
  if (!enabled_ && enabled) enabled_cycle_ = cycle;
  enabled_ = enabled;
  interventions_++;
}

void Counters::clear(uint64_t cycle) {
  settle(cycle + 1);
  cleared_cycle_ = cycle + 1;
  live_ = {};
  interventions_++;
}

void Counters::set(uint64_t cycle, const Values& values) {
  settle(cycle);
  cleared_cycle_ = cycle;
  live_ = values;
  interventions_++;
}

void Counters::snapshot(uint64_t cycle) {
  settle(cycle);
  snapshot_ = live_;
  uint64_t causes = 0;
  for (std::size_t i = 0; i < kCounters; i++) {
    if (counter_table[i].part_of_total && i != index(Counter::idle)) causes += live_[i];
  }
  snapshot_[index(Counter::idle)] = live_[index(Counter::total)] - causes;
}

}  // namespace mxe::engine
