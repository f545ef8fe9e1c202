// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/read/rd_port.h"

#include <algorithm>
#include <utility>

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
  if (is_issuing_) return kNever;
  // The queue of fetches under way has a free place the cycle after one leaves.
  const uint64_t fetches = fetch_beats_.count();
  const uint64_t ready = fetches < outstanding_
                             ? free_cycle_
                             : std::max(free_cycle_, after_fetch(fetches - outstanding_));
  if (ready == kNever) return kNever;
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
  const bool remembered = first_few_ > 0 && first_few_ + outstanding_ > fetch_beats_.count();
  return remembered ? after_fetch(first_few_ - 1) : 0;
}

/// First cycle after the last beat of fetch `number`, counted from 0; kNever if not known.
uint64_t RdPort::after_fetch(uint64_t number) const {
  return number < done_.count() ? done_[number] + 1 : kNever;
}

/// Adds a fetch with `beats` beats of A, 0 for other fetches.
void RdPort::count_beats(uint64_t beats) {
  const auto leave_out_first = [this] { few_beats_ -= fetch_beats_[first_few_++]; };
  if (first_few_ + outstanding_ == fetch_beats_.count()) leave_out_first();
  fetch_beats_.push(beats);
  few_beats_ += beats;
  while (few_beats_ >= kReadABeats) leave_out_first();
}

void RdPort::accept(uint64_t cycle, const Fetch& fetch, uint16_t job, bool with_data) {
  const auto beats = static_cast<unsigned>(beat_.touched(fetch.address, fetch.bytes));
  const bool of_a = fetch.kind == FetchKind::a_elements || fetch.kind == FetchKind::a_scales;
  count_beats(of_a ? beats : 0);
  row_bursts_.start(fetch.address, beats);
  Flight& flight = flights_.emplace_back();
  flight.fetch = fetch;
  flight.job = job;
  flight.accept_cycle = cycle;
  flight.with_data = with_data;
  if (with_data) {
    flight.data = std::move(spare_);
    flight.data.resize(std::size_t{beats} * beat_.bytes());
  }
  fetch_bursts_.clear();
  is_issuing_ = true;
  issue_from_ = cycle + 1;  // busy_q
}

/// The interconnect takes a limited number of bursts at a time.
uint64_t RdPort::limited_issue_cycle() const {
  if (responses_ + read_limit_ <= bursts_) return kNever;
  return std::max(issue_from_, burst_done_[slot_] + 1);
}

void RdPort::issue() {
  const uint64_t cycle = issue_cycle();
  const auto [address, beats] = row_bursts_.take();
  const std::size_t bytes = std::size_t{beats} * beat_.bytes();
  Flight& flight = flights_.back();
  Outstanding& burst = outstanding_bursts_.emplace_back();
  burst.issue = cycle;
  burst.address = address;
  burst.beats = beats;
  burst.flight = &flight;
  burst.index = fetch_bursts_.size();
  fetch_bursts_.push_back({cycle, kNever});
  uint8_t* data = flight.with_data ? flight.data.data() + flight.position : nullptr;
  flight.bursts++;
  flight.beats += beats;
  flight.position += bytes;
  bursts_++;
  if (++slot_ == read_limit_) slot_ = 0;
  free_cycle_ = cycle;
  issue_from_ = cycle + 1;
  if (row_bursts_.remaining() == 0 || stops_after_next_) stop();
  memory_.request({false, cycle, address, bytes, data}, burst.ticket);
}

void RdPort::stop() {
  if (!is_issuing_) return;
  flights_.back().is_issued = true;
  is_issuing_ = stops_after_next_ = false;
  if (flights_.back().bursts == 0) complete(flights_.back());
}

const RdPort::Flight* RdPort::take_response() {
  if (outstanding_bursts_.empty() || !outstanding_bursts_.front().ticket.is_complete()) {
    return nullptr;
  }
  const Flight* flight = outstanding_bursts_.front().flight;
  take(outstanding_bursts_.front());
  outstanding_bursts_.pop_front();
  return flight;
}

void RdPort::take(const Outstanding& burst) {
  Flight& flight = *burst.flight;
  const Fetch& fetch = flight.fetch;
  if (burst.index == 0) {
    const bool elements =
        fetch.kind == FetchKind::a_elements || fetch.kind == FetchKind::b_elements;
    unpack_.begin(beat_.offset(fetch.address), fetch.bytes,
                  fetch.word_bytes * (two_words_ && elements ? 2 : 1));
  }
  const BeatTimes& offers = burst.ticket.times();
  const uint64_t first_beat = unpack_.beats(offers, burst.beats);
  if (burst.ticket.has_error() && first_beat + 1 < flight.arrival.error) {
    flight.arrival.error = first_beat + 1;
    flight.arrival.error_address = burst.address;
  }
  flight.first_beat = std::min(flight.first_beat, first_beat);
  last_offered_ = std::max(last_offered_, offers.beat(burst.beats - 1));
  if (&flight == &flights_.back()) fetch_bursts_[burst.index].offered = last_offered_;
  burst_done_[response_slot_] = unpack_.last_beat();
  if (++response_slot_ == read_limit_) response_slot_ = 0;
  responses_++;
  if (--flight.bursts == 0 && flight.is_issued) complete(flight);
}

/// All bursts of the fetch have responses.
void RdPort::complete(Flight& flight) {
  const Fetch& fetch = flight.fetch;
  done_.push(unpack_.last_beat());
  flight.arrival.last_word = unpack_.last_word();
  trace_.slice(
      Track::memory_read, fetch_name(fetch.kind), flight.first_beat, unpack_.last_beat() + 1,
      {{"address", fetch.address}, {"bytes", fetch.bytes}, {"granted", flight.accept_cycle}});
  if (flight.with_data) flight.arrival.data = flight.data.data() + beat_.offset(fetch.address);
}

void RdPort::finish() {
  spare_ = std::move(flights_.front().data);
  flights_.pop_front();
}

uint64_t RdPort::drained_cycle(uint64_t cycle) const {
  if (is_issuing_) return kNever;
  if (fetch_bursts_.empty()) return std::max(cycle, free_cycle_ + 1);
  // The last request is the first one in `cycle` or later, else the last one.
  const auto last = std::find_if(fetch_bursts_.begin(), fetch_bursts_.end() - 1,
                                 [cycle](const Burst& burst) { return burst.issue >= cycle; });
  if (last->offered == kNever) return kNever;
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
  bursts_ = responses_ = 0;
  slot_ = response_slot_ = 0;
  last_offered_ = 0;
  fetch_bursts_.clear();
  free_cycle_ = cycle + 1;
  unpack_.clear(cycle + 1);
}

}  // namespace mxe::engine
