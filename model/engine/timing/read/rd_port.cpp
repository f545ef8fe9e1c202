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

RdPort::Arrival RdPort::accept(uint64_t cycle, const Fetch& fetch, bool with_data, uint64_t last,
                               bool aborts_job) {
  const unsigned offset = beat_.offset(fetch.address);
  const auto beats = static_cast<unsigned>(beat_.touched(fetch.address, fetch.bytes));
  const bool of_a = fetch.kind == FetchKind::a_elements || fetch.kind == FetchKind::a_scales;
  count_beats(of_a ? beats : 0);
  row_bursts_.start(fetch.address, beats);
  if (with_data) data_.resize(std::size_t{beats} * beat_.bytes());
  uint8_t* data = with_data ? data_.data() : nullptr;

  Arrival arrival;
  fetch_bursts_.clear();
  const bool elements = fetch.kind == FetchKind::a_elements || fetch.kind == FetchKind::b_elements;
  unpack_.begin(offset, fetch.bytes, fetch.word_bytes * (two_words_ && elements ? 2 : 1));
  uint64_t from = cycle + 1;  // busy_q
  uint64_t first = kNever;    // beat of the fetch
  while (row_bursts_.remaining() > 0) {
    const auto [address, burst] = row_bursts_.take();
    // The interconnect takes a limited number of bursts at a time.
    const std::size_t slot = slot_;
    if (++slot_ == read_limit_) slot_ = 0;
    const uint64_t fire = bursts_ < read_limit_ ? from : std::max(from, burst_done_[slot] + 1);
    const std::size_t bytes = std::size_t{burst} * beat_.bytes();
    Ticket ticket;
    memory_.request({false, fire, address, bytes, data}, ticket);
    const BeatTimes& offers = ticket.times();
    const uint64_t first_beat = unpack_.beats(offers, burst);
    if (ticket.has_error() && first_beat + 1 < arrival.error) {
      arrival.error = first_beat + 1;
      arrival.error_address = address;
    }
    first = std::min(first, first_beat);
    last_offered_ = std::max(last_offered_, offers.beat(burst - 1));
    fetch_bursts_.push_back({fire, last_offered_});
    bursts_++;
    beats_ += burst;
    burst_done_[slot] = unpack_.last_beat();
    if (data) data += bytes;
    free_cycle_ = fire;
    from = fire + 1;
    if (fire > (aborts_job ? std::min(last, arrival.error) : last)) break;
  }
  done_.push(unpack_.last_beat());
  arrival.last_word = unpack_.last_word();
  trace_.slice(Track::memory_read, fetch_name(fetch.kind), first, unpack_.last_beat() + 1,
               {{"address", fetch.address}, {"bytes", fetch.bytes}, {"granted", cycle}});
  if (with_data) arrival.data = data_.data() + offset;
  return arrival;
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
  free_cycle_ = cycle + 1;
  unpack_.clear(cycle + 1);
}

}  // namespace mxe::engine
