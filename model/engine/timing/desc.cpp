// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/desc.h"

#include <cstring>

namespace mxe::engine {

uint64_t Desc::begin_from() const {
  const std::size_t places = flying_.size() + held_.size();
  if (asks_ || forgets_ || places == kDescriptorsAhead) return kNever;
  return places + 1 == kDescriptorsAhead ? std::max(from_, room_from_) : from_;
}

void Desc::begin(uint64_t cycle, uint64_t address, bool alone) {
  fetch_.kind = FetchKind::descriptor;
  fetch_.address = address;
  fetch_.bytes = kDescriptorBytes;
  fetch_.word_bytes = kPlainWordBytes;
  asks_ = true;
  alone_ = alone;
  from_ = cycle + 1;
}

void Desc::accept(uint64_t cycle) {
  asks_ = false;
  from_ = cycle + 1;
  next_++;
}

void Desc::arrive(const RdPort::Arrival& arrival) {
  Fetched& descriptor = flying_.emplace_back();
  std::memcpy(descriptor.bytes.data(), arrival.data, descriptor.bytes.size());
  descriptor.last_word = arrival.last_word;
  descriptor.alone = alone_;
  descriptor.failed = arrival.error != kNever;
  descriptor.fault = {arrival.error_address, operand_of(fetch_.kind), false};
}

const Fault* Desc::finish() {
  const Fetched descriptor = flying_.front();
  flying_.pop_front();
  const uint64_t cycle = descriptor.last_word;
  const Fault* fault = nullptr;
  if (!forgets_ && descriptor.failed && !descriptor.alone) {
    again_ = forgets_ = true;
  } else if (!forgets_) {
    if (again_ && !asks_) from_ = std::max(from_, cycle + 1);
    again_ = false;
    if (descriptor.failed) {
      fault_ = descriptor.fault;
      fault = &fault_;
    }
    held_.push_back(descriptor);
  }
  if (forgets_ && flying_.empty() && !asks_) {
    forgets_ = false;
    go_back();
    from_ = std::max(from_, cycle + 1);
  }
  return fault;
}

uint64_t Desc::read_in() const {
  return ready_ || held_.empty() ? kNever : std::max(held_.front().last_word + 1, read_from_);
}

void Desc::read(uint64_t cycle) {
  oldest_ = held_.front();
  held_.pop_front();
  out_++;
  ready_ = true;
  ready_from_ = room_from_ = cycle + 1;
}

void Desc::take(uint64_t cycle) {
  ready_ = false;
  // The taken descriptor stays at the output for two more cycles.
  read_from_ = cycle + 2;
}

void Desc::drop() {
  asks_ = forgets_ = false;
  flying_.clear();
  go_back();
}

void Desc::reset() {
  held_.clear();
  ready_ = again_ = false;
  next_ = out_ = 0;
}

void Desc::visit(StateVisitor& visitor) {
  visitor.value(asks_);
  if (asks_) visitor.cycle(from_);
}

}  // namespace mxe::engine
