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
  sending_.reset();
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

/// First cycle with a free place in the FIFO; every segment in flight holds one. kNever if not
/// known.
uint64_t Drain::credit_cycle() const {
  if (segments_ < kDrainFifo) return 0;
  const uint64_t before = segments_ - kDrainFifo;
  return before < taken_.count() ? taken_[before] + 1 : kNever;
}

uint64_t Drain::next_row() const {
  if (!rows_.valid() || tile_number_ == tiles_.count()) return kNever;
  uint64_t ready = std::max(tiles_[tile_number_].from, next_cycle_);
  if (adds_c_) ready = std::max(ready, c_buf_.fills.full_cycle(c_number_));
  if (numbers_) return std::max({ready, credit_cycle(), wr_port_.ready_cycle()});
  return std::max(ready, requant_.bank_cycle());
}

uint64_t Drain::resume_cycle() const {
  return sending_ ? wr_port_.known_cycle() : requant_.resume_cycle();
}

uint64_t Drain::next_event() const {
  if (sending_) return resume_cycle();
  return !numbers_ ? std::min(next_row(), requant_.next_write()) : next_row();
}

Drain::Drained Drain::step() {
  if (sending_) return send_segments();
  return numbers_ || next_row() < requant_.next_write() ? begin_row() : write_block();
}

Drain::Drained Drain::resume() { return sending_ ? send_segments() : write_block(); }

/// Writes a row of an MX block, or its scale.
Drain::Drained Drain::write_block() {
  Drained drained;
  if (const std::optional<Requant::Written> written = requant_.write()) {
    drained.bytes = written->bytes;
    drained.written = written->cycle + 1;
  }
  return drained;
}

Drain::Drained Drain::begin_row() {
  const uint64_t issue = next_row();
  const uint32_t* values = row_values(tiles_[tile_number_], rows_.cols());
  if (!numbers_) return finish_row(issue, collect_row(issue, values));
  begin_write(issue, values);
  return send_segments();
}

/// The row's first and last segment are issued in these cycles.
Drain::Drained Drain::finish_row(uint64_t first_issue, uint64_t last_issue) {
  Drained drained;
  next_cycle_ = last_issue + 1;
  trace_.slice(
      Track::drain, "row", first_issue, next_cycle_,
      {{"row", rows_.matrix_row()}, {"column", rows_.column()}, {"columns", rows_.cols()}});
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

/// Requests the write of a row whose first segment is issued in `issue`.
void Drain::begin_write(uint64_t issue, const uint32_t* values) {
  const unsigned cols = rows_.cols(), part = kFloatBytes / numbers_->bytes;
  const uint8_t* data = values ? arithmetic_.store(*numbers_, values, cols, narrow_) : nullptr;
  Sending& row = sending_.emplace();
  row.values = values;
  row.first_issue = row.issue = issue;
  row.bytes = cols * numbers_->bytes;
  row.written = wr_port_.accept(issue, rows_.address(), row.bytes, data, MXE_FAULT_D, part,
                                contiguous_ && !rows_.last_row());
}

/// Sends the segments of the row to the write port up to the first one with an unknown cycle.
Drain::Drained Drain::send_segments() {
  Sending& row = *sending_;
  const bool was_issued = row.issued_bytes == row.bytes;
  const unsigned segment_bytes = wr_port_.segment_bytes() / (kFloatBytes / numbers_->bytes);
  take_segments();
  while (row.issued_bytes < row.bytes && credit_cycle() != kNever) {
    if (row.issued_bytes > 0) row.issue = std::max(row.issue + 1, credit_cycle());
    pass_segment(row.issue, row.values, row.issued_bytes / numbers_->bytes);
    row.issued_bytes = std::min(row.issued_bytes + segment_bytes, row.bytes);
    row.offered.push_back(row.issue + delay());
    segments_++;
    take_segments();
  }
  Drained drained;
  if (row.issued_bytes == row.bytes && !was_issued) {
    drained = finish_row(row.first_issue, row.issue);
    drained.bytes = row.written;
    drained.written = row.issue + delay();
  }
  if (row.issued_bytes == row.bytes && row.offered.empty()) sending_.reset();
  return drained;
}

/// The write port takes the segments whose cycles are known.
void Drain::take_segments() {
  std::deque<uint64_t>& offered = sending_->offered;
  while (!offered.empty() && wr_port_.known_cycle() != kNever) {
    taken_.push(wr_port_.take(offered.front()));
    offered.pop_front();
  }
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
