// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/control/desc.h"

#include <cstring>

namespace mxe::engine {

uint64_t Desc::begin_cycle() const {
  const std::size_t places = flying_.size() + held_.size();
  if (requests_ || cancels_ || places == kDescriptorsAhead) return kNever;
  return places + 1 == kDescriptorsAhead ? std::max(request_cycle_, room_cycle_) : request_cycle_;
}

void Desc::begin(uint64_t cycle, uint64_t address, bool alone) {
  fetch_.kind = FetchKind::descriptor;
  fetch_.address = address;
  fetch_.bytes = kDescriptorBytes;
  fetch_.word_bytes = kPlainWordBytes;
  requests_ = true;
  alone_ = alone;
  request_cycle_ = cycle + 1;
}

void Desc::accept(uint64_t cycle) {
  requests_ = false;
  request_cycle_ = cycle + 1;
  next_++;
  Fetched& descriptor = flying_.emplace_back();
  descriptor.alone = alone_;
}

/// The oldest fetch whose bytes have not arrived.
std::deque<Desc::Fetched>::iterator Desc::first_incomplete() {
  return std::find_if(flying_.begin(), flying_.end(),
                      [](const Fetched& fetched) { return fetched.last_word == kNever; });
}

void Desc::arrive(const RdPort::Arrival& arrival) {
  if (dropped_count_ > 0) {
    if (arrival.data) dropped_count_--;
    return;
  }
  Fetched& descriptor = *first_incomplete();
  if (!descriptor.failed && arrival.error != kNever) {
    descriptor.failed = true;
    if (descriptor.alone) descriptor.fault_cycle = arrival.error;
    descriptor.fault = {arrival.error_address, operand_of(fetch_.kind), false};
  }
  if (!arrival.data) return;
  std::memcpy(descriptor.bytes.data(), arrival.data, descriptor.bytes.size());
  descriptor.last_word = arrival.last_word;
}

Fault Desc::report_fault() {
  flying_.front().fault_cycle = kNever;
  return flying_.front().fault;
}

void Desc::finish() {
  const Fetched descriptor = flying_.front();
  flying_.pop_front();
  const uint64_t cycle = descriptor.last_word;
  if (!cancels_ && descriptor.failed && !descriptor.alone) {
    rereads_ = cancels_ = true;
  } else if (!cancels_) {
    if (rereads_ && !requests_) request_cycle_ = std::max(request_cycle_, cycle + 1);
    rereads_ = false;
    held_.push_back(descriptor);
  }
  if (cancels_ && flying_.empty() && !requests_) {
    cancels_ = false;
    go_back();
    request_cycle_ = std::max(request_cycle_, cycle + 1);
  }
}

uint64_t Desc::read_cycle() const {
  return ready_ || held_.empty() ? kNever : std::max(held_.front().last_word + 1, read_cycle_);
}

void Desc::read(uint64_t cycle) {
  oldest_ = held_.front();
  held_.pop_front();
  status_ = oldest_.failed ? MXE_STATUS_ERR_FETCH : check_descriptor(oldest_.bytes, params_);
  out_++;
  ready_ = true;
  ready_cycle_ = room_cycle_ = cycle + 1;
}

void Desc::take(uint64_t cycle) {
  ready_ = false;
  // The taken descriptor stays at the output for two more cycles.
  read_cycle_ = cycle + 2;
}

void Desc::drop() {
  requests_ = cancels_ = false;
  dropped_count_ += static_cast<unsigned>(flying_.end() - first_incomplete());
  flying_.clear();
  go_back();
}

void Desc::reset() {
  held_.clear();
  ready_ = rereads_ = false;
  next_ = out_ = 0;
}

void Desc::visit(StateVisitor& visitor) {
  visitor.value(requests_);
  if (requests_) visitor.cycle(request_cycle_);
}

}  // namespace mxe::engine
