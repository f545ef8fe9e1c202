// SPDX-License-Identifier: Apache-2.0
#include "model/engine/skipping/page_splits.h"

namespace mxe::engine {

void PageSplits::grant(uint64_t cycle, std::size_t source) {
  const bool again = last_.ends_bank && source == source_;
  const uint64_t from = again ? std::max(free_, again_) : free_;
  const uint64_t earliest = again ? std::max(earliest_, earliest_again_) : earliest_;
  const uint64_t latest = again ? std::max(latest_, latest_again_) : latest_;
  source_before_ = source_;
  sooner_before_ = sooner_;
  // Later than the port was free: for another reason, which stays.
  sooner_ = cycle > from ? 0 : cycle - earliest;
  later_ = latest > cycle ? latest - cycle : 0;
  cycle_ = cycle;
  source_ = source;
}

void PageSplits::check_order(const Allowed& allowed, bool waits) {
  if (later_ != 0) {
    latest_of_[source_] = cycle_ + later_;
    watched_ = true;
  }
  if (watched_) {
    if (might_change_order(allowed)) effects_++;
    // Whatever might have come before those that are watched is known by then.
    watched_ = false;
    for (uint64_t& latest : latest_of_) {
      if (latest < cycle_) latest = 0;
      if (latest != 0) watched_ = true;
    }
  }
  if (sooner_ == 0) return;
  // Within a bank a source asks as soon as the port is free.
  const bool next_row = source_ == source_before_ && !last_.ends_bank && !waits;
  if (next_row || allowed[source_] <= cycle_ - sooner_) return;
  for (std::size_t i = source_ + 1; i < kSources; i++) {
    if (allowed[i] < cycle_) effects_++;
  }
}

/// Whether one of higher priority might be accepted before one of lower priority that came first.
bool PageSplits::might_change_order(const Allowed& allowed) const {
  uint64_t latest = 0;  // of lower priority
  for (std::size_t i = kSources; i-- > 0; latest = std::max(latest, latest_of_[i])) {
    if (allowed[i] > latest) continue;
    // It asks again two cycles after the last fetch, so the one between comes first if the port is
    // free by then.
    const bool again = i == source_before_ && last_.ends_bank && allowed[i] == again_;
    if (!again || last_.most > 1 || sooner_before_ > 0) return true;
  }
  return false;
}

bool PageSplits::settled(uint64_t floor, const Allowed& allowed) const {
  if (watched_ && might_change_order(allowed)) return false;
  if (!varies() && last_.fewest == last_.most) return true;
  return latest_ <= floor && (!last_.ends_bank || latest_again_ <= floor);
}

void PageSplits::accept(const Accepted& fetch, uint64_t last_beat) {
  drop_arrived();
  last_beats_.push(last_beat);
  most_.push(fetch.most);
  most_bursts_ += fetch.most;
  if (most_bursts_ > burst_limit_) {
    effects_++;
    if (cycle_ <= unsure_until_) unsure_ = true;
  }
  last_ = fetch;
  free_ = cycle_ + fetch.bursts;
  earliest_ = cycle_ - sooner_ + fetch.fewest;
  latest_ = cycle_ + later_ + fetch.most;
  again_ = cycle_ + 2;
  earliest_again_ = again_ - sooner_;
  latest_again_ = again_ + later_;
}

/// Leaves out fetches that have arrived before the present one is accepted, or left the queue.
void PageSplits::drop_arrived() {
  while (oldest_ < last_beats_.count() && (last_beats_.count() - oldest_ == fetch_limit_ ||
                                           last_beats_[oldest_] + sooner_ < cycle_)) {
    most_bursts_ -= most_[oldest_++];
  }
}

void PageSplits::visit(StateVisitor& visitor) {
  if (!visitor.moves()) return;
  for (uint64_t* time :
       {&cycle_, &free_, &earliest_, &latest_, &again_, &earliest_again_, &latest_again_}) {
    visitor.cycle(*time);
  }
  for (uint64_t& latest : latest_of_) {
    if (latest != 0) visitor.cycle(latest);
  }
  visitor.history(last_beats_);
}

void PageSplits::clear() {
  const uint64_t effects = effects_;
  const bool unsure = unsure_;
  *this = PageSplits(burst_limit_, fetch_limit_);
  effects_ = effects;
  unsure_ = unsure;
}

}  // namespace mxe::engine
