// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/read/load.h"

#include <algorithm>

namespace mxe::engine {

Load::Load(const Params& params, Operand operand)
    : Load(params, operand, operand == Operand::a ? kBanks : params.b_banks) {}

Load::Load(const Params& params, Operand operand, unsigned banks)
    : params_(params), operand_(operand), banks_(banks), credits_(banks) {}

void Load::start(uint64_t cycle, const OperandView& view, uint32_t batch, uint32_t m, uint32_t n,
                 uint32_t k_words, bool chained) {
  const bool is_a = operand_ == Operand::a;
  const bool one_chunk = k_words <= LoopNest::chunk_words(params_, m);
  view_ = view;
  walk_ = Walk(params_, {true, !is_a, !is_a, view.wide, view.long_slab}, batch, m, n, k_words,
               is_a && one_chunk);
  chunk_offset_ = offset_ = chunk_block_ = block_ = 0;
  row_ = base_ = group_ = view.address;
  scale_row_ = scale_base_ = scale_group_ = view.scale_address;
  matrix_ = view.address;
  scale_matrix_ = view.scale_address;
  const uint32_t chunk = walk_.most_chunk_words(), most = is_a ? chunk : walk_.slab_words();
  const bool all_whole = k_words <= most || (k_words % most == 0 && k_words % chunk == 0);
  const uint32_t unit =
      all_whole ? most : LoopNest::kWordUnit;  // chunks and slabs begin at its multiples
  const uint32_t step_bytes = unit * view.word_bytes;
  // Steps may begin within a scale that several blocks share.
  const uint32_t step_blocks = unit * view.word_blocks;
  const uint32_t step_scales = (step_blocks & shared()) != 0 ? 1 : step_blocks >> view.coarse;
  phase_ = AddressPhase(view.address | view.stride | step_bytes,
                        std::min(view.row_bytes, most * view.word_bytes), params_.mem_bytes());
  scale_phase_ = AddressPhase(view.scale_address | view.scale_stride | step_scales,
                              (std::min(view.row_blocks, most * view.word_blocks) >> view.coarse) +
                                  uint32_t{view.coarse != 0},
                              params_.mem_bytes());
  if (!chained) {
    credits_ = BankCredits(view.wide ? 2 * banks_ : banks_);
    if (!is_a) bank_ = 0;  // as the feeder does
  }
  new_chunk_ = true;
  credits_.want(cycle + 1);
  prepare();
}

void Load::visit(StateVisitor& visitor) {
  const bool moving = walk_.valid() && walk_.follows(visitor.loop());
  credits_.visit(visitor);
  visitor.cycle(next_cycle_);
  walk_.visit(visitor);
  if (visitor.moves()) {
    if (moving) move(visitor.loop(), visitor.iterations());
    return;
  }
  visitor.value(index_);
  visitor.value(second_);
  visitor.value(new_chunk_);
  visitor.value(scales_);
  visitor.value(phase_.of(row_ + offset_));
  visitor.value(scale_phase_.of(scale_address()));
  visitor.value(block_ & shared());
  visitor.value(row_ - base_);
  visitor.value(offset_ - chunk_offset_);
  // Loop::tile implies one chunk: the nest never returns to the begin of the group. In Loop::chunk,
  // chunk_offset_ is the position in the loop.
  if (visitor.loop() != Loop::tile) visitor.value(base_ - group_);
  if (visitor.loop() != Loop::chunk) visitor.value(chunk_offset_);
}

/// Follows the walk after a skip.
void Load::move(Loop loop, uint64_t iterations) {
  const bool is_a = operand_ == Operand::a;
  const uint64_t chunk_words = iterations * walk_.most_chunk_words();
  uint64_t rows = 0;  // further down the operand
  switch (loop) {
    case Loop::tile:
      rows = iterations * params_.num_pe;
      break;
    case Loop::chunk:
      offset_ += static_cast<uint32_t>(chunk_words * view_.word_bytes);
      chunk_offset_ += static_cast<uint32_t>(chunk_words * view_.word_bytes);
      block_ += static_cast<uint32_t>(chunk_words * view_.word_blocks);
      chunk_block_ += static_cast<uint32_t>(chunk_words * view_.word_blocks);
      break;
    case Loop::group:
      rows = is_a ? 0 : iterations * params_.num_pe * params_.acc_tiles;
      break;
    case Loop::stripe:
      rows = is_a ? iterations * params_.rows : 0;
      break;
  }
  for (uint64_t* row : {&row_, &base_, &group_}) *row += rows * view_.stride;
  for (uint64_t* row : {&scale_row_, &scale_base_, &scale_group_})
    *row += rows * view_.scale_stride;
  if (loop == Loop::tile) {
    group_ = matrix_ + uint64_t{walk_.group_column()} * view_.stride;
    scale_group_ = scale_matrix_ + uint64_t{walk_.group_column()} * view_.scale_stride;
  }
  prepare();
}

void Load::clear() { *this = Load(params_, operand_, banks_); }

uint64_t Load::request_cycle() const {
  if (!walk_.valid()) return kNever;
  return credits_.taken_cycle() == kNever ? kNever : std::max(next_cycle_, credits_.taken_cycle());
}

void Load::prepare() {
  const bool is_a = operand_ == Operand::a;
  // The columns of a wide tile beyond the first num_pe are in a second bank.
  const unsigned first = second_ ? params_.num_pe : 0;
  const unsigned count = is_a ? walk_.rows() : std::min(walk_.cols() - first, params_.num_pe);
  const unsigned words = walk_.words();
  fetch_.bank = bank_;
  fetch_.line = index_;
  fetch_.last = scales_ && index_ + 1 == count;
  fetch_.new_chunk = new_chunk_;
  if (scales_) {
    fetch_.kind = is_a ? FetchKind::a_scales : FetchKind::b_scales;
    // A step that begins behind the first block of a scale reads that scale again.
    const uint32_t blocks = std::min(view_.row_blocks - block_, words * view_.word_blocks);
    fetch_.passed_blocks = block_ & shared();
    fetch_.address = scale_address();
    fetch_.bytes = (blocks + fetch_.passed_blocks + shared()) >> view_.coarse;
    fetch_.word_bytes =
        is_a ? std::min(kPlainWordBytes, most_word_scales(params_) * params_.a_slab_k / kBlockSize)
             : kPlainWordBytes;
  } else {
    fetch_.kind = is_a ? FetchKind::a_elements : FetchKind::b_elements;
    fetch_.address = row_ + offset_;
    fetch_.bytes = std::min(view_.row_bytes - offset_, words * view_.word_bytes);
    fetch_.word_bytes = view_.words_at_a_time * view_.word_bytes;
  }
}

void Load::accept(uint64_t cycle) {
  next_cycle_ = cycle + 1;
  if (!fetch_.last) {
    if (scales_) next_row();
    scales_ = !scales_;
  } else {
    credits_.finish();
    bank_ = (bank_ + 1) % credits_.banks();
    scales_ = false;
    const bool more = operand_ == Operand::b && !second_ && walk_.cols() > params_.num_pe;
    new_chunk_ = !more && walk_.last_use();
    if (more) {
      next_row();
    } else {
      const Walk::Next next = walk_.next();
      const uint32_t words = walk_.words(), chunk_words = walk_.chunk_words();
      walk_.step();
      if (walk_.valid()) next_bank(next, words, chunk_words);
    }
    second_ = more;
    index_ = 0;
    if (!walk_.valid()) return;
    credits_.want(cycle + 1);
  }
  prepare();
}

void Load::next_row() {
  index_++;
  row_ += view_.stride;
  scale_row_ += view_.scale_stride;
}

/// Moves the position for the next bank after the nest moved at level `next`, from a step of
/// `words` operand words in a chunk of `chunk_words`.
void Load::next_bank(Walk::Next next, uint32_t words, uint32_t chunk_words) {
  const bool is_a = operand_ == Operand::a;
  const uint64_t after = row_ + view_.stride, scale_after = scale_row_ + view_.scale_stride;
  const auto go_to = [this](uint64_t row, uint64_t scale_row) {
    row_ = base_ = row;
    scale_row_ = scale_base_ = scale_row;
  };
  if (next == Walk::Next::slab || (is_a && next == Walk::Next::chunk)) {
    // The same rows, further along K.
    go_to(base_, scale_base_);
    offset_ += words * view_.word_bytes;
    block_ += words * view_.word_blocks;
    return;
  }
  if (next == Walk::Next::tile) {
    // The next columns, back to the start of the chunk.
    go_to(after, scale_after);
    offset_ = chunk_offset_;
    block_ = chunk_block_;
    return;
  }
  if (next == Walk::Next::chunk) {
    // Back to the group's columns, next chunk.
    go_to(group_, scale_group_);
    offset_ = chunk_offset_ += chunk_words * view_.word_bytes;
    block_ = chunk_block_ += chunk_words * view_.word_blocks;
    return;
  }
  chunk_offset_ = offset_ = chunk_block_ = block_ = 0;
  if (is_a && next == Walk::Next::group) {
    go_to(base_, scale_base_);  // the same rows again
  } else if (is_a || next == Walk::Next::group || next == Walk::Next::batch) {
    // The next stripe of rows, the next group of columns, or the next matrix below.
    go_to(after, scale_after);
    group_ = after;
    scale_group_ = scale_after;
    if (next == Walk::Next::batch) {
      matrix_ = after;
      scale_matrix_ = scale_after;
    }
  } else {
    go_to(matrix_, scale_matrix_);  // the next stripe: all columns again
    group_ = matrix_;
    scale_group_ = scale_matrix_;
  }
}

}  // namespace mxe::engine
