// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/write/drain.h"

#include <algorithm>

namespace mxe::engine {
namespace {

BlockOutput block_output(const Descriptor& job) {
  BlockOutput output;
  output.address = job.d_addr;
  output.stride = job.d_stride;
  output.scale_address = job.d_scale_addr;
  output.scale_stride = job.d_scale_stride;
  output.options = requant_options(job);
  return output;
}

}  // namespace

Drain::Drain(const Params& params, WrPort& wr_port, Arithmetic& arithmetic, const CBuf& c_buf,
             TracePoint trace)
    : params_(params),
      wr_port_(wr_port),
      arithmetic_(arithmetic),
      c_buf_(c_buf),
      trace_(trace),
      requant_(params, wr_port, arithmetic) {}

void Drain::start(const Descriptor& job, bool dual, unsigned pitch, uint64_t c_number) {
  numbers_ = job.numbers_out();
  const unsigned number_bytes = numbers_ ? numbers_->bytes : kFloatBytes;
  rows_ = Rows(params_, job.d_addr, job.d_stride, job.batch, job.m, job.n, number_bytes, false);
  dual_ = dual;
  alpha_ = job.alpha;
  alpha_bits_ = job.alpha_bits;
  adds_c_ = job.adds_bias();
  c_number_ = c_number;
  contiguous_ = numbers_ && job.n <= params_.num_pe && job.d_stride == job.n * number_bytes;
  column_ = 0;
  pitch_ = pitch;
  if (!numbers_) requant_.start(block_output(job));
}

void Drain::clear() {
  rows_ = {};
  tile_number_ = tiles_.count();
  requant_.clear();
  column_ = 0;
}

void Drain::put_tile(uint64_t cycle, const uint32_t* results, const uint32_t* odd, bool finished) {
  tiles_.push({cycle + 1, results, odd, finished});
}

void Drain::visit(StateVisitor& visitor) {
  const uint64_t row = rows_.matrix_row(), column = rows_.column();
  rows_.visit(visitor);
  const uint64_t values = (rows_.matrix_row() - row) * pitch_ + rows_.column() - column;
  visitor.value(tiles_.count() - tile_number_);
  tiles_.for_each([&](Tile& tile) {
    visitor.cycle(tile.from);
    if (tile.results && visitor.moves()) tile.results += values;
  });
  visitor.cycle(next_cycle_);
  visitor.history(taken_);
  visitor.value(column_);
  if (!numbers_) requant_.visit(visitor);
}

/// First cycle with a free place in the FIFO; every segment in flight holds one.
uint64_t Drain::credit_cycle() const {
  return taken_.count() < kDrainFifo ? 0 : taken_.ago(kDrainFifo, 0) + 1;
}

uint64_t Drain::next_row() const {
  if (!rows_.valid() || tile_number_ == tiles_.count()) return kNever;
  uint64_t ready = std::max(tiles_[tile_number_].from, next_cycle_);
  if (adds_c_) ready = std::max(ready, c_buf_.fills.full_cycle(c_number_));
  if (numbers_) return std::max({ready, credit_cycle(), wr_port_.ready_cycle()});
  return std::max(ready, requant_.bank_cycle());
}

uint64_t Drain::next_event() const {
  return !numbers_ ? std::min(next_row(), requant_.next_write()) : next_row();
}

Drain::Drained Drain::step() {
  if (numbers_ || next_row() < requant_.next_write()) return take_row();
  const Requant::Written written = requant_.write();
  Drained drained;
  drained.bytes = written.bytes;
  drained.written = written.cycle + 1;
  return drained;
}

Drain::Drained Drain::take_row() {
  const uint64_t issue = next_row();
  const unsigned cols = rows_.cols();
  const uint32_t* values = row_values(tiles_[tile_number_], cols);
  Drained drained;

  const uint64_t last_issue =
      !numbers_ ? collect_row(issue, values) : write_row(issue, values, drained);
  next_cycle_ = last_issue + 1;
  trace_.slice(Track::drain, "row", issue, next_cycle_,
               {{"row", rows_.matrix_row()}, {"column", rows_.column()}, {"columns", cols}});
  if (rows_.last_row()) {
    drained.release = last_issue;
    tile_number_++;
    if (adds_c_) {
      drained.bias_release = last_issue + kBiasDelay;
      c_number_++;
    }
    if (!numbers_) finish_tile(last_issue + delay() - 1);
  }
  rows_.step();
  return drained;
}

/// Results of the row, chains merged, with ALPHA and C; null if only the time is needed.
const uint32_t* Drain::row_values(const Tile& tile, unsigned cols) {
  const std::size_t first = std::size_t{rows_.row()} * pitch_;
  if (!tile.results) return nullptr;
  merged_.resize(cols);
  if (alpha_ && !tile.finished) {
    const unsigned bank = static_cast<unsigned>(c_number_ % kBanks);
    const uint32_t* c = adds_c_ ? c_buf_.row(bank, rows_.row()) : nullptr;
    arithmetic_.finish(alpha_bits_, tile.results + first, c, cols, merged_.data());
    return merged_.data();
  }
  if (!tile.odd) return tile.results + first;
  arithmetic_.merge(tile.results + first, tile.odd + first, cols, merged_.data());
  return merged_.data();
}

/// Sends a row to the write port. Returns the issue cycle of its last segment.
uint64_t Drain::write_row(uint64_t issue, const uint32_t* values, Drained& drained) {
  const unsigned cols = rows_.cols(), part = kFloatBytes / numbers_->bytes;
  const uint8_t* data = values ? arithmetic_.store(*numbers_, values, cols, narrow_) : nullptr;
  const uint32_t bytes = cols * numbers_->bytes;
  drained.bytes = wr_port_.accept(issue, rows_.address(), bytes, data, MXE_FAULT_D, part,
                                  contiguous_ && !rows_.last_row());
  const unsigned segment_bytes = wr_port_.segment_bytes() / part;
  for (uint32_t byte = 0; byte < bytes; byte += segment_bytes) {
    if (byte > 0) issue = std::max(issue + 1, credit_cycle());
    taken_.push(wr_port_.take(issue + delay()));
    pass_segment(issue, values, byte / numbers_->bytes);
  }
  drained.written = issue + delay();
  return issue;
}

/// Sends a row to the requantiser, one segment per cycle. Returns the cycle of its last segment.
uint64_t Drain::collect_row(uint64_t issue, const uint32_t* values) {
  requant_.collect(rows_.row(), column_, values, rows_.cols());
  const unsigned lanes = wr_port_.segment_bytes() / kFloatBytes;
  for (unsigned first = 0; first < rows_.cols(); first += lanes, issue++) {
    pass_segment(issue, values, first);
  }
  return issue - 1;
}

/// Counts the NaN results of the segment from column `first` on, issued in `issue`, and shows its
/// blocks to the watcher. `values` are those of the row.
void Drain::pass_segment(uint64_t issue, const uint32_t* values, unsigned first) {
  if (!values) return;
  const unsigned lanes = wr_port_.segment_bytes() / kFloatBytes;
  const unsigned count = std::min(lanes, rows_.cols() - first);
  const uint64_t pushed = issue + delay() - 1;
  const unsigned nan_results = arithmetic_.count_nans(values + first, count);
  if (nan_results != 0) nan_results_.push_back({pushed, nan_results});
  if (!arithmetic_.watched()) return;
  const Tile& tile = tiles_[tile_number_];
  if (tile.odd) {
    const std::size_t at = std::size_t{rows_.row()} * pitch_ + first;
    arithmetic_.show_merge(pushed - 1, tile.results + at, tile.odd + at, count);
  }
  if (!numbers_) arithmetic_.show_amax(requant_.collected(pushed), values + first, count);
}

/// All segments of a tile were sent to the requantiser, the last one in `pushed`.
void Drain::finish_tile(uint64_t pushed) {
  const bool block_done = rows_.last_tile() || column_ + params_.num_pe == requant_.stage_cols();
  if (!block_done) {
    column_ += params_.num_pe;
    return;
  }
  requant_.fill(pushed, {rows_.row() + 1, column_ + rows_.cols(), rows_.last_tile()});
  column_ = 0;
}

}  // namespace mxe::engine
