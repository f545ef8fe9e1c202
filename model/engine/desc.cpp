// SPDX-License-Identifier: Apache-2.0
#include "model/engine/desc.h"

#include <cstring>

namespace mxe {

void Desc::begin(uint64_t cycle, uint64_t address, bool alone) {
  fetch_.kind = FetchKind::descriptor;
  fetch_.address = address;
  fetch_.bytes = kDescriptorBytes;
  fetch_.word_bytes = kPlainWordBytes;
  ahead_ = !alone;
  enter(State::ask, cycle + 1);
}

void Desc::arrive(const RdPort::Arrival& arrival) {
  std::memcpy(bytes_.data(), arrival.data, bytes_.size());
  last_word_ = arrival.last_word;
  failed_ = arrival.error != kNever;
  fault_ = {arrival.error_address, operand_of(fetch_.kind), false};
}

/// Its last word is here.
void Desc::finish() {
  again_ = failed_ && ahead_;
  enter(again_ ? State::idle : State::ready, last_word_ + 1);
}

void Desc::drop(uint64_t cycle) {
  if (is_reading()) enter(State::idle, cycle + 2);
}

void Desc::visit(StateVisitor& visitor) {
  visitor.value(state_ == State::ask);
  if (state_ == State::ask) visitor.cycle(from_);
}

}  // namespace mxe
