#include "engine/drain.h"

#include <algorithm>

namespace mxe {
namespace {

bool is_nan(uint32_t bits) { return (bits & 0x7FFF'FFFF) > 0x7F80'0000; }

}  // namespace

void Drain::start(uint64_t address, uint32_t stride, uint32_t m, uint32_t n, bool dual) {
  rows_ = Rows(params_, address, stride, m, n, false);
  dual_ = dual;
}

void Drain::clear() {
  rows_ = {};
  tile_number_ = tiles_.count();
}

void Drain::put_tile(uint64_t cycle, const uint32_t* results) { tiles_.push({cycle + 1, results}); }

/// Each segment under way holds a place in the FIFO.
uint64_t Drain::credit_from() const {
  return taken_.count() < kDrainFifo ? 0 : taken_.ago(kDrainFifo, 0) + 1;
}

uint64_t Drain::next_row() const {
  if (!rows_.valid() || tile_number_ == tiles_.count()) return kNever;
  return std::max({tiles_[tile_number_].from, next_from_, credit_from(), wr_port_.ready_from()});
}

Drain::Drained Drain::take_row() {
  uint64_t issue = next_row();
  const unsigned cols = rows_.cols();
  const uint32_t* values = tiles_[tile_number_].results;
  if (values) values += std::size_t{rows_.row()} * params_.num_pe;
  Drained drained;
  drained.bytes = cols * kFloatBytes;
  if (values)
    drained.nan_results = static_cast<unsigned>(std::count_if(values, values + cols, is_nan));

  wr_port_.accept(issue, rows_.address(), drained.bytes, reinterpret_cast<const uint8_t*>(values));
  const unsigned segment_bytes = wr_port_.segment_bytes();
  const unsigned delay = kOfferDelay + (dual_ ? kMergeLatency : 0);
  for (uint32_t byte = 0; byte < drained.bytes; byte += segment_bytes) {
    if (byte > 0) issue = std::max(next_from_, credit_from());
    next_from_ = issue + 1;
    drained.pushed = issue + delay - 1;
    taken_.push(wr_port_.take(issue + delay));
  }
  if (rows_.last_row()) {
    drained.release = issue;
    tile_number_++;
  }
  rows_.step();
  return drained;
}

}  // namespace mxe
