// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/read/feed.h"

#include <algorithm>

namespace mxe::engine {

void Feed::start(uint64_t cycle, const Walk::Levels& levels, uint32_t batch, uint32_t m, uint32_t n,
                 uint32_t k_words, unsigned tail_count, unsigned word_elements, bool chained) {
  walk_ = Walk(params_, levels, batch, m, n, k_words);
  tail_count_ = tail_count;
  word_elements_ = word_elements;
  if (!chained) bank_number_ = 0;
  read_allowed_cycle_ = cycle + 1;
}

void Feed::clear() {
  walk_ = {};
  bank_number_ = 0;
  word_ = slab_base_ = 0;
  offered_ = second_ = false;
}

void Feed::visit(StateVisitor& visitor) {
  const uint64_t row = walk_.row();
  const uint32_t column = walk_.column();
  walk_.visit(visitor);
  pass_.row += walk_.row() - row;
  pass_.column += walk_.column() - column;
  if (visitor.moves() && visitor.loop() == Loop::tile) {
    pass_.tile = static_cast<unsigned>((pass_.tile + visitor.iterations()) % params_.acc_tiles);
  }
  visitor.value(word_);
  visitor.value(second_);
  visitor.cycle(read_allowed_cycle_);
  visitor.value(offered_);
  if (!offered_) return;
  for (const unsigned value : {pass_.rows, pass_.cols, pass_.count}) visitor.value(value);
  visitor.value((walk_.tile() + params_.acc_tiles - pass_.tile) % params_.acc_tiles);
  for (const bool value : {pass_.first, pass_.last, pass_.a_done}) visitor.value(value);
  visitor.cycle(pass_.read_cycle);
  visitor.cycle(pass_.offered_cycle);
}

uint64_t Feed::read_cycle() const {
  const uint64_t full = b_fills_.full_cycle(bank_number());
  return full == kNever ? kNever : std::max(read_allowed_cycle_, full);
}

Pass Feed::awaited() const {
  if (offered_) return pass_;
  Pass pass;
  pass.read_cycle = read_cycle();
  pass.offered_cycle = kNever;
  return pass;
}

unsigned Feed::cols() const {
  return second_ ? walk_.cols() - params_.num_pe : std::min(walk_.cols(), params_.num_pe);
}

uint64_t Feed::next_read() const {
  if (offered_ || !walk_.valid()) return kNever;
  const uint64_t from = read_cycle();
  return from == kNever ? kNever : from + (cols() - 1) / feed_cols(params_.num_pe);
}

uint64_t Feed::read() {
  const uint64_t cycle = next_read();
  const bool last_word = word_ + 1 == walk_.words(), last_of_two = this->last_of_two();
  pass_.rows = walk_.rows();
  pass_.cols = cols();
  pass_.tile = walk_.tile() + second_;
  pass_.row = walk_.row();
  pass_.column = walk_.column() + (second_ ? params_.num_pe : 0);
  pass_.a_word = slab_base_ + word_;
  pass_.b_bank = b_fills_.bank(bank_number());
  pass_.b_word = word_;
  pass_.first = walk_.first_k() && word_ == 0;
  pass_.last = walk_.last_k() && last_word;
  pass_.a_done = walk_.last_use() && last_word && last_of_two;
  pass_.count = pass_.last ? tail_count_ : word_elements_;
  pass_.read_cycle = read_cycle();
  pass_.offered_cycle = cycle + 1;
  offered_ = true;
  stepped_.reset();
  second_ = !last_of_two;
  if (last_of_two) word_++;
  if (!last_word) return kNever;
  if (!last_of_two) return cycle;
  stepped_ = walk_.next();
  slab_base_ = stepped_ == Walk::Next::slab ? slab_base_ + walk_.words() : 0;
  word_ = 0;
  bank_number_ += walk_.cols() > params_.num_pe ? 2u : 1u;
  walk_.step();
  return cycle;
}

}  // namespace mxe::engine
