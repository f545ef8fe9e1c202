// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/read/rd_port.h"

#include <algorithm>

namespace mxe::engine {

RdPort::RdPort(const Params& params, const PortLimits& limits, MemoryPort& memory, TracePoint trace)
    : beat_(params.mem_bytes()),
      max_burst_(params.max_burst),
      read_limit_(std::min(limits.reads, kReadBursts)),
      outstanding_(read_outstanding(params)),
      row_bursts_(beat_, max_burst_),
      two_words_(takes_two_words(params)),
      memory_(memory),
      trace_(trace),
      unpack_(params.mem_bytes(), two_words_ ? 2 * kPlainWordBytes : kPlainWordBytes),
      burst_done_(read_limit_) {}

uint64_t RdPort::next_accept(const ReadRequests& requests, bool a_first) const {
  if (issue_cycle_ != kNever) return kNever;
  // The queue of fetches under way has a free place the cycle after one leaves.
  const uint64_t ready = done_.count() < outstanding_
                             ? free_cycle_
                             : std::max(free_cycle_, done_.ago(outstanding_, 0) + 1);
  const ReadRequests from = allowed(requests, a_first);
  const uint64_t first = *std::min_element(from.begin(), from.end());
  return first == kNever ? kNever : std::max(first, ready);
}

ReadSource RdPort::grant(uint64_t cycle, const ReadRequests& requests, bool a_first) {
  const ReadRequests from = allowed(requests, a_first);
  std::size_t source = 0;
  while (from[source] > cycle) source++;
  auto granted = static_cast<ReadSource>(source);
  const bool a_may = from[static_cast<std::size_t>(ReadSource::a)] <= cycle;
  if (a_first && a_may && granted == ReadSource::b) granted = ReadSource::a;
  return granted;
}

/// First cycle in which the request of each source may be accepted.
ReadRequests RdPort::allowed(const ReadRequests& requests, bool a_first) const {
  ReadRequests from = requests;
  uint64_t& a = from[static_cast<std::size_t>(ReadSource::a)];
  if (a != kNever && !a_first) a = std::max(a, a_allowed_cycle());
  return from;
}

/// A waits for the fetch before first_few_. One that is no longer remembered has left the queue.
uint64_t RdPort::a_allowed_cycle() const {
  const bool remembered = first_few_ > 0 && first_few_ + outstanding_ > done_.count();
  return remembered ? done_[first_few_ - 1] + 1 : 0;
}

/// Adds a fetch with `beats` beats of A, 0 for other fetches.
void RdPort::count_beats(uint64_t beats) {
  const auto leave_out_first = [this] { few_beats_ -= fetch_beats_[first_few_++]; };
  if (first_few_ + outstanding_ == fetch_beats_.count()) leave_out_first();
  fetch_beats_.push(beats);
  few_beats_ += beats;
  while (few_beats_ >= kReadABeats) leave_out_first();
}

void RdPort::accept(uint64_t cycle, const Fetch& fetch, bool with_data) {
  const unsigned offset = beat_.offset(fetch.address);
  const auto beats = static_cast<unsigned>(beat_.touched(fetch.address, fetch.bytes));
  const bool of_a = fetch.kind == FetchKind::a_elements || fetch.kind == FetchKind::a_scales;
  count_beats(of_a ? beats : 0);
  row_bursts_.start(fetch.address, beats);
  if (with_data) data_.resize(std::size_t{beats} * beat_.bytes());
  fetch_ = fetch;
  arrival_ = {};
  with_data_ = with_data;
  accept_cycle_ = cycle;
  first_beat_ = kNever;
  beats_before_ = beats_;
  position_ = 0;
  fetch_bursts_.clear();
  const bool elements = fetch.kind == FetchKind::a_elements || fetch.kind == FetchKind::b_elements;
  unpack_.begin(offset, fetch.bytes, fetch.word_bytes * (two_words_ && elements ? 2 : 1));
  issue_cycle_ = next_issue_cycle(cycle + 1);  // busy_q
}

/// The interconnect takes a limited number of bursts at a time.
uint64_t RdPort::next_issue_cycle(uint64_t from) const {
  return bursts_ < read_limit_ ? from : std::max(from, burst_done_[slot_] + 1);
}

void RdPort::issue() {
  const auto [address, burst] = row_bursts_.take();
  const std::size_t bytes = std::size_t{burst} * beat_.bytes();
  Ticket ticket;
  memory_.request(
      {false, issue_cycle_, address, bytes, with_data_ ? data_.data() + position_ : nullptr},
      ticket);
  const BeatTimes& offers = ticket.times();
  const uint64_t first_beat = unpack_.beats(offers, burst);
  if (ticket.has_error() && first_beat + 1 < arrival_.error) {
    arrival_.error = first_beat + 1;
    arrival_.error_address = address;
  }
  first_beat_ = std::min(first_beat_, first_beat);
  last_offered_ = std::max(last_offered_, offers.beat(burst - 1));
  fetch_bursts_.push_back({issue_cycle_, last_offered_});
  bursts_++;
  beats_ += burst;
  position_ += bytes;
  burst_done_[slot_] = unpack_.last_beat();
  if (++slot_ == read_limit_) slot_ = 0;
  free_cycle_ = issue_cycle_;
  if (row_bursts_.remaining() == 0) {
    finish_fetch();
  } else {
    issue_cycle_ = next_issue_cycle(issue_cycle_ + 1);
  }
}

void RdPort::finish_fetch() {
  issue_cycle_ = kNever;
  done_.push(unpack_.last_beat());
  arrival_.last_word = unpack_.last_word();
  trace_.slice(Track::memory_read, fetch_name(fetch_.kind), first_beat_, unpack_.last_beat() + 1,
               {{"address", fetch_.address}, {"bytes", fetch_.bytes}, {"granted", accept_cycle_}});
  if (with_data_) arrival_.data = data_.data() + beat_.offset(fetch_.address);
}

uint64_t RdPort::drained_cycle(uint64_t cycle) const {
  if (fetch_bursts_.empty()) return std::max(cycle, free_cycle_ + 1);
  // The last request is the first one in `cycle` or later, else the last one.
  const auto last = std::find_if(fetch_bursts_.begin(), fetch_bursts_.end() - 1,
                                 [cycle](const Burst& burst) { return burst.issue >= cycle; });
  return std::max({cycle, last->issue + 1, last->offered + 1});
}

void RdPort::visit(StateVisitor& visitor) {
  visitor.cycle(free_cycle_);
  visitor.history(done_, outstanding_);
  // A can wait only for fetches whose last beat is still to be taken.
  if (!visitor.moves()) {
    const uint64_t fetches = fetch_beats_.count();
    uint64_t oldest = fetches;
    while (oldest > first_few_ && visitor.matters(done_[oldest - 1])) {
      visitor.value(fetch_beats_[--oldest]);
    }
    visitor.value(fetches - oldest);
  }
  visitor.ring(burst_done_, bursts_);
  if (visitor.moves()) {  // only aborts depend on these times
    visitor.cycle(last_offered_);
    for (Burst& burst : fetch_bursts_) {
      visitor.cycle(burst.issue);
      visitor.cycle(burst.offered);
    }
  }
  unpack_.visit(visitor);
}

void RdPort::clear(uint64_t cycle) {
  done_ = fetch_beats_ = {};
  first_few_ = few_beats_ = 0;
  bursts_ = slot_ = 0;
  last_offered_ = 0;
  fetch_bursts_.clear();
  issue_cycle_ = kNever;
  free_cycle_ = cycle + 1;
  unpack_.clear(cycle + 1);
}

}  // namespace mxe::engine
