// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/write/wr_port.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mxe::engine {
namespace {

/// Bytes of an FP32 segment: NUM_PE results, at most a beat (LanesOut in mxe_datapath).
unsigned segment_bytes_of(const Params& params) {
  return std::min(params.num_pe * kFloatBytes, params.mem_bytes());
}

/// Acknowledgements to keep. If the interconnect's limit is lower than the engine's by more than 2,
/// only the former takes effect: at most 2 bursts wait for their address to be accepted.
unsigned kept_acknowledgements(unsigned write_limit) {
  return write_limit + 2 < kWriteBursts ? write_limit : std::max(write_limit, kWriteBursts);
}

}  // namespace

WrPort::WrPort(const Params& params, const PortLimits& limits, MemoryPort& memory, TracePoint trace)
    : beat_(params.mem_bytes()),
      segment_bytes_(segment_bytes_of(params)),
      write_limit_(limits.writes),
      memory_(memory),
      trace_(trace),
      row_bursts_(beat_, params.max_burst),
      acknowledged_(kept_acknowledgements(limits.writes)) {}

uint64_t WrPort::ready_cycle() const {
  if (is_row_open()) return kNever;
  // The row's bursts must have been emitted, and the queue of rows must have a free place.
  const uint64_t queue_free =
      rows_done_.count() < kWriteQueue ? 0 : rows_done_.ago(kWriteQueue, 0) + 1;
  return std::max({emitted_, queue_free, halted_cycle_});
}

uint32_t WrPort::accept(uint64_t cycle, uint64_t address, uint32_t bytes, const uint8_t* data,
                        uint32_t operand, unsigned part, bool joins) {
  const uint32_t carried = joins_ ? carried_bytes_ : 0;
  operand_ = operand;
  if (operand == MXE_FAULT_RECORD) record_ = std::make_shared<Answers>();
  row_segment_ = segment_bytes_ / part;
  const auto touched = static_cast<unsigned>(beat_.touched(address, bytes));
  const unsigned offset = beat_.offset(address);
  const auto filled = static_cast<unsigned>(beat_.whole(offset + bytes));
  row_bursts_.start(address, joins ? filled : touched);
  bytes_left_ = bytes;
  fill_ = offset;
  next_take_cycle_ = cycle + 1;
  if (rows_done_.count() > 0) next_take_cycle_ = std::max(next_take_cycle_, rows_done_.back() + 1);
  next_emit_ = cycle + 1;
  burst_ = {};
  beats_sent_ = 0;
  with_data_ = data != nullptr;
  if (with_data_) {
    // Carried bytes follow the previous row's beats; the rest is zero.
    for (std::vector<uint8_t>* row : {&data_, &enables_}) {
      if (carried == 0) {
        row->clear();
      } else {
        row->erase(row->begin(), row->begin() + static_cast<std::ptrdiff_t>(position_));
      }
      row->resize(offset);
      row->resize(std::size_t{touched} * beat_.bytes());
    }
    std::memcpy(data_.data() + offset, data, bytes);
    std::memset(enables_.data() + offset, 0xFF, bytes);
  }
  position_ = 0;
  joins_ = joins;
  end_ = address + bytes;
  carried_bytes_ = 0;
  if (joins) carried_bytes_ = filled == 0 ? carried + bytes : beat_.offset(end_);
  return carried + bytes - carried_bytes_;
}

void WrPort::halt(uint64_t cycle) {
  if (is_row_open()) {
    halts_cycle_ = cycle;
    return;
  }
  if (joins_) halted_cycle_ = cycle;
  joins_ = false;
}

void WrPort::store_carried(uint8_t* target, uint64_t address) {
  if (!joins_ || carried_bytes_ == 0) return;
  const std::size_t end = position_ + beat_.offset(end_), begin = end - carried_bytes_;
  std::memcpy(target + (end_ - carried_bytes_ - address), data_.data() + begin, carried_bytes_);
  std::fill_n(enables_.begin() + static_cast<std::ptrdiff_t>(begin), carried_bytes_, uint8_t{0});
}

void WrPort::visit(StateVisitor& visitor) {
  for (uint64_t* time : {&next_take_cycle_, &emitted_, &address_fire_, &issued_, &acknowledge_,
                         &result_acknowledge_, &idle_cycle_, &results_->last}) {
    visitor.cycle(*time);
  }
  visitor.history(rows_done_);
  visitor.history(bursts_done_);
  visitor.ring(acknowledged_, bursts_);
}

WrPort::Segment WrPort::next_segment() const {
  Segment segment;
  segment.last = bytes_left_ <= row_segment_;
  segment.bytes = segment.last ? bytes_left_ : row_segment_;
  const bool ends = segment.last && !joins_;
  segment.makes_beat = ends || fill_ + segment.bytes >= beat_.bytes();
  segment.spills = ends && fill_ + segment.bytes > beat_.bytes();
  return segment;
}

uint64_t WrPort::known_cycle() const { return next_segment().makes_beat ? next_burst_cycle() : 0; }

uint64_t WrPort::take(uint64_t offered) {
  const Segment segment = next_segment();
  uint64_t cycle = std::max(offered, next_take_cycle_);
  if (segment.makes_beat) {
    cycle = std::max(cycle, sendable_cycle());
    send(cycle);
  }
  bytes_left_ -= segment.bytes;
  fill_ += segment.bytes;
  if (fill_ >= beat_.bytes()) fill_ -= beat_.bytes();
  next_take_cycle_ = cycle + 1;
  if (segment.spills) {
    flushes_ = true;  // flush_q
    flush_cycle_ = cycle + 1;
    flush();
  } else if (segment.last) {
    end_row(cycle);
  }
  return cycle;
}

/// The last segment is taken, and the last beat sent, in `cycle`.
void WrPort::end_row(uint64_t cycle) {
  rows_done_.push(cycle);
  if (halts_cycle_) halt(*halts_cycle_);
  halts_cycle_.reset();
}

/// Sends the last beat of a row that no segment fills, if its cycle is known.
void WrPort::flush() {
  if (!flushes_ || next_burst_cycle() == kNever) return;
  flushes_ = false;
  const uint64_t row_done = std::max(flush_cycle_, sendable_cycle());
  send(row_done);
  end_row(row_done);
}

/// First cycle for the emission of the burst of the next beat, by its acknowledgements and the
/// address register; 0 if that burst has been emitted, kNever if not known.
uint64_t WrPort::next_burst_cycle() const {
  if (beats_sent_ < burst_.beats) return 0;
  return fire_awaits_ ? kNever : std::max(address_fire_, acknowledged_cycle(kWriteBursts));
}

/// First cycle in which the burst of the next beat is at the head of its queue, so that the beat
/// can be sent.
uint64_t WrPort::sendable_cycle() {
  if (beats_sent_ == burst_.beats) next_burst();
  const uint64_t head = bursts_done_.count() == 0 ? 0 : bursts_done_.back() + 1;
  return std::max(emitted_ + 1, head);
}

void WrPort::next_burst() {
  // The queue of bursts has a free place, and the address register is free or being emptied.
  const uint64_t queue_free =
      bursts_done_.count() < kWriteQueue ? 0 : bursts_done_.ago(kWriteQueue, 0) + 1;
  emitted_ = std::max({next_emit_, queue_free, next_burst_cycle()});
  next_emit_ = emitted_ + 1;
  burst_ = row_bursts_.take();
  beats_sent_ = 0;
  // The interconnect limits the outstanding bursts.
  const uint64_t allowed = acknowledged_cycle(write_limit_);
  address_fire_ = emitted_ + 1;
  if (allowed == kNever) {
    fire_awaits_ = bursts_ - write_limit_;
  } else {
    address_fire_ = std::max(address_fire_, allowed);
  }
}

/// First cycle after the acknowledgement of the burst `count` before the next one; 0 if there is
/// none or the next burst cannot depend on it, kNever if not known.
uint64_t WrPort::acknowledged_cycle(unsigned count) const {
  if (bursts_ < count || count > acknowledged_.size()) return 0;
  if (bursts_under_way_.size() >= count) return kNever;
  return acknowledged_[(bursts_ - count) % acknowledged_.size()] + 1;
}

void WrPort::send(uint64_t cycle) {
  if (beats_sent_ == 0) first_beat_ = cycle + 1;
  if (++beats_sent_ < burst_.beats) return;
  bursts_done_.push(cycle);
  finish_burst(cycle + 1);
}

/// The burst is complete; `last_beat` is the cycle of its last beat on the bus.
void WrPort::finish_burst(uint64_t last_beat) {
  const std::size_t bytes = std::size_t{burst_.beats} * beat_.bytes();
  Burst burst{kNever, burst_.address, burst_.beats, operand_, first_beat_, last_beat};
  if (!fire_awaits_) burst.cycle = issued_ = std::max({address_fire_, last_beat, issued_});
  bursts_++;
  const std::shared_ptr<Answers>& answers = operand_ == MXE_FAULT_RECORD ? record_ : results_;
  uint8_t* data = with_data_ ? data_.data() + position_ : nullptr;
  const uint8_t* enables = with_data_ ? enables_.data() + position_ : nullptr;
  position_ += bytes;
  if (bursts_under_way_.empty() && memory_.takes_any_order(burst_.address, bytes)) {
    Ticket ticket;
    request(burst, data, enables, ticket);
    acknowledge(burst, *answers, ticket);
    return;
  }
  answers->waiting++;
  UnderWay& waiting = bursts_under_way_.emplace_back();
  waiting.burst = burst;
  waiting.answers = answers;
  if (!with_data_) return;
  waiting.data.assign(data, data + bytes);
  waiting.enables.assign(enables, enables + bytes);
}

void WrPort::issue() {
  UnderWay& next = bursts_under_way_[issued_count_++];
  const bool with_data = !next.data.empty();
  request(next.burst, with_data ? next.data.data() : nullptr,
          with_data ? next.enables.data() : nullptr, next.ticket);
  take_answers();
}

void WrPort::take_answers() {
  while (issued_count_ > 0 && bursts_under_way_.front().ticket.is_complete()) {
    const UnderWay oldest = std::move(bursts_under_way_.front());
    bursts_under_way_.pop_front();
    issued_count_--;
    oldest.answers->waiting--;
    acknowledge(oldest.burst, *oldest.answers, oldest.ticket);
  }
  flush();
}

bool WrPort::waits_for_results() const {
  return std::any_of(
      bursts_under_way_.begin(), bursts_under_way_.end(),
      [](const UnderWay& waiting) { return waiting.burst.operand != MXE_FAULT_RECORD; });
}

/// The memory receives the burst.
void WrPort::request(const Burst& burst, uint8_t* data, const uint8_t* enables, Ticket& ticket) {
  const std::size_t bytes = std::size_t{burst.beats} * beat_.bytes();
  memory_.request({true, burst.cycle, burst.address, bytes, data, enables}, ticket);
}

void WrPort::acknowledge(const Burst& burst, Answers& answers, const Ticket& ticket) {
  acknowledge_ =
      std::max({ticket.times().beat(burst.beats - 1), burst.cycle + 1, acknowledge_ + 1});
  const uint64_t number = bursts_ - 1 - bursts_under_way_.size();
  acknowledged_[number % acknowledged_.size()] = acknowledge_;
  idle_cycle_ = acknowledge_ + 1;
  trace_.slice(Track::memory_write, "burst", burst.first_beat, burst.last_beat + 1,
               {{"address", burst.address},
                {"bytes", uint64_t{burst.beats} * beat_.bytes()},
                {"acknowledged", acknowledge_}});
  answers.last = acknowledge_;
  if (burst.operand != MXE_FAULT_RECORD) result_acknowledge_ = acknowledge_;
  if (ticket.has_error() && acknowledge_ < answers.error) {
    answers.error = acknowledge_;
    answers.fault = {burst.address, burst.operand, true};
  }
  if (fire_awaits_ == number) accept_address();
}

/// The cycle in which the interconnect accepts the address of the last emitted burst is known.
void WrPort::accept_address() {
  fire_awaits_.reset();
  address_fire_ = std::max(address_fire_, acknowledge_ + 1);
  if (bursts_under_way_.empty() || bursts_under_way_.back().burst.cycle != kNever) return;
  Burst& burst = bursts_under_way_.back().burst;
  burst.cycle = issued_ = std::max({address_fire_, burst.last_beat, issued_});
}

}  // namespace mxe::engine
