// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/write/requant.h"

#include <algorithm>
#include <cstring>

#include "model/engine/memory/log2_ceil.h"
#include "model/numerics/formats/format.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::engine {
Requant::Requant(const Params& params, WrPort& wr_port, Arithmetic& arithmetic)
    : wr_port_(wr_port),
      arithmetic_(arithmetic),
      rows_(params.rows),
      stage_cols_(std::max(params.num_pe, kBlockSize)),
      lanes_(wr_port.segment_bytes() / kFloatBytes),
      num_pe_(params.num_pe),
      group_cols_(params.num_pe * params.acc_tiles),
      beat_bytes_(params.mem_bytes()),
      // One level of comparisons per cycle (mxe_amax).
      collect_latency_(std::max(log2_ceil(lanes_), 1u)),
      bank_size_(std::size_t{rows_} * stage_cols_),
      values_(kCollected * bank_size_) {}

void Requant::start(const BlockOutput& output) {
  clear();
  output_ = output;
  element_stripe_ = element_row_ = output.address;
  scale_stripe_ = scale_row_ = output.scale_address;
  element_col_ = scale_col_ = 0;
  const std::size_t block_bytes = numerics::packed_row_bytes(output.options.format, kBlockSize);
  phase_ = AddressPhase(output.address | output.stride | block_bytes, block_bytes, beat_bytes_);
}

void Requant::visit(StateVisitor& visitor) {
  visitor.value(banks_.count() - read_cycles_.count());
  banks_.for_each([&](Bank& bank) {
    visitor.value(bank.stage.rows);
    visitor.value(bank.stage.cols);
    visitor.value(bank.stage.end);
    visitor.cycle(bank.from);
  });
  visitor.history(read_cycles_);
  visitor.value(block_);
  visitor.value(row_);
  visitor.cycle(read_cycle_);
  visitor.value(std::min<uint64_t>(rows_read_, kRequantFifo));
  visitor.value(rows_read_ - popped_.count());
  visitor.history(popped_);
  visitor.value(queue_.size());
  for (Row& row : queue_) {
    visitor.cycle(row.valid_cycle);
    visitor.value(row.bytes);
    visitor.value(row.last);
    visitor.value(row.cols_end);
  }
  visitor.value(scale_turn_);
  visitor.cycle(request_cycle_);
  visitor.cycle(data_cycle_);
  visitor.value(phase_.of(element_row_ + element_col_));
  visitor.value((scale_row_ + scale_col_) % beat_bytes_);  // a byte never crosses a boundary
  visitor.value(element_row_ - element_stripe_);
  if (visitor.moves()) move(visitor.loop(), visitor.iterations());
}

/// Advances by `iterations` iterations of `loop`, which are whole blocks of columns.
void Requant::move(Loop loop, uint64_t iterations) {
  if (loop == Loop::chunk) return;
  if (loop == Loop::stripe) {
    const uint64_t rows = iterations * rows_;
    for (uint64_t* row : {&element_row_, &element_stripe_}) *row += rows * output_.stride;
    for (uint64_t* row : {&scale_row_, &scale_stripe_}) *row += rows * output_.scale_stride;
    return;
  }
  const uint64_t blocks = iterations * (loop == Loop::tile ? num_pe_ : group_cols_) / kBlockSize;
  element_col_ += blocks * numerics::packed_row_bytes(output_.options.format, kBlockSize);
  scale_col_ += blocks;
}

void Requant::clear() {
  banks_ = {};
  read_cycles_ = {};
  block_ = row_ = 0;
  read_cycle_ = 0;
  popped_ = {};
  rows_read_ = 0;
  queue_.clear();
  writing_.reset();
  scale_turn_ = false;
  request_cycle_ = data_cycle_ = 0;
}

void Requant::collect(unsigned row, unsigned first, const uint32_t* values, unsigned cols) {
  with_data_ = values != nullptr;
  if (with_data_) {
    uint32_t* bank = bank_values(banks_.count());
    std::memcpy(bank + std::size_t{row} * stage_cols_ + first, values, cols * kFloatBytes);
  }
}

void Requant::fill(uint64_t cycle, const Stage& stage) {
  banks_.push({stage, cycle + collect_latency_ + 1});
  encode_rows();
}

uint64_t Requant::bank_cycle() const {
  if (banks_.count() < kCollected) return 0;
  const uint64_t before = banks_.count() - kCollected;  // previous content of the bank
  return before < read_cycles_.count() ? read_cycles_[before] + 1 : kNever;
}

/// First cycle with a free place in the FIFO, which the first segment's read of a row takes.
uint64_t Requant::credit_cycle() const {
  if (rows_read_ < kRequantFifo) return 0;
  return rows_read_ - kRequantFifo < popped_.count() ? popped_[rows_read_ - kRequantFifo] + 1
                                                     : kNever;
}

void Requant::encode_rows() {
  while (active() && credit_cycle() != kNever) {
    const Bank& bank = banks_[read_cycles_.count()];
    const unsigned cols = std::min(bank.stage.cols - block_ * kBlockSize, kBlockSize);
    const unsigned segments = (cols + lanes_ - 1) / lanes_;
    const uint64_t first_read = std::max({read_cycle_, bank.from, credit_cycle()});
    const uint64_t last_read = first_read + segments - 1;
    Row row = encode_row(row_, block_, cols, first_read);
    row.valid_cycle = last_read + kRequantLatency + 1;
    row.last = row_ + 1 == bank.stage.rows;
    const bool last_block = (block_ + 1) * kBlockSize >= bank.stage.cols;
    row.cols_end = bank.stage.end && last_block;
    queue_.push_back(row);
    rows_read_++;
    read_cycle_ = last_read + 1;
    if (!row.last) {
      row_++;
      continue;
    }
    row_ = 0;
    block_ = last_block ? 0 : block_ + 1;
    if (last_block) read_cycles_.push(last_read);
  }
}

Requant::Row Requant::encode_row(unsigned row, unsigned block, unsigned cols, uint64_t first_read) {
  Row encoded;
  encoded.bytes = static_cast<uint32_t>(numerics::packed_row_bytes(output_.options.format, cols));
  encoded.with_data = with_data_;
  if (!with_data_) return encoded;
  const uint32_t* bank = bank_values(read_cycles_.count());
  const uint32_t* values = bank + std::size_t{row} * stage_cols_ + std::size_t{block} * kBlockSize;
  encoded.data = arithmetic_.encode(values, cols, output_.options);
  if (arithmetic_.watched()) {
    arithmetic_.show_encode(first_read + kRequantLatency, values, cols, output_.options);
  }
  for (unsigned first = 0; first < cols; first += lanes_) {
    const bool* begin = encoded.data.saturated.data() + first;
    const bool* end = encoded.data.saturated.data() + std::min(first + lanes_, cols);
    const auto count = static_cast<unsigned>(std::count(begin, end, true));
    if (count > 0) saturated_.push_back({first_read + first / lanes_ + kRequantLatency, count});
  }
  return encoded;
}

uint64_t Requant::next_write() const {
  if (writing_) return resume_cycle();
  if (queue_.empty()) return kNever;
  return std::max({queue_.front().valid_cycle, request_cycle_, wr_port_.ready_cycle()});
}

void Requant::begin_write() {
  const uint64_t accepted = next_write();
  const Row& row = queue_.front();
  Writing& writing = writing_.emplace();
  writing.accepted = accepted;
  // The data is valid together with the requests.
  writing.offered = std::max(row.valid_cycle, data_cycle_);
  const uint8_t* data = nullptr;
  if (scale_turn_) {
    writing.written.bytes = 1;
    if (row.with_data) data = &row.data.scale;
    wr_port_.accept(accepted, scale_row_ + scale_col_, 1, data, MXE_FAULT_D_SCALES);
  } else {
    writing.written.bytes = row.bytes;
    if (row.with_data) data = row.data.elements.data();
    wr_port_.accept(accepted, element_row_ + element_col_, row.bytes, data, MXE_FAULT_D);
  }
}

std::optional<Requant::Written> Requant::write() {
  if (!writing_) begin_write();
  for (; writing_->byte < writing_->written.bytes; writing_->byte += wr_port_.segment_bytes()) {
    if (wr_port_.known_cycle() == kNever) return std::nullopt;
    writing_->written.cycle = wr_port_.take(writing_->offered);
    writing_->offered = writing_->written.cycle + 1;
  }
  const Writing sent = *writing_;
  writing_.reset();
  request_cycle_ = sent.accepted + 1;
  data_cycle_ = sent.offered;
  if (scale_turn_) finish_row(queue_.front(), sent.written.cycle);
  scale_turn_ = !scale_turn_;
  return sent.written;
}

/// The row leaves the FIFO in `pop`. Advances the addresses to the next row.
void Requant::finish_row(const Row& row, uint64_t pop) {
  element_row_ += output_.stride;
  scale_row_ += output_.scale_stride;
  if (row.last && row.cols_end) {
    element_stripe_ = element_row_;
    scale_stripe_ = scale_row_;
    element_col_ = scale_col_ = 0;
  } else if (row.last) {
    element_row_ = element_stripe_;
    scale_row_ = scale_stripe_;
    element_col_ += numerics::packed_row_bytes(output_.options.format, kBlockSize);
    scale_col_++;
  }
  popped_.push(pop);
  queue_.pop_front();
  encode_rows();
}

}  // namespace mxe::engine
