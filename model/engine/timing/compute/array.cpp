// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/compute/array.h"

namespace mxe::engine {
namespace {

constexpr unsigned kDrainBanks = 2;

}  // namespace

Array::Array(const Params& params, Arithmetic& arithmetic)
    : arithmetic_(arithmetic),
      rows_(params.rows),
      num_pe_(params.num_pe),
      a_(rows_),
      b_(num_pe_),
      even_(std::size_t{kDrainBanks} * rows_ * num_pe_),
      odd_(even_.size()) {}

void Array::load_b(const Pass& pass, const OpBuf& b_buf) {
  for (unsigned i = 0; i < pass.cols; i++) b_[i] = b_buf.read(pass.b_bank, i, pass.b_word);
}

void Array::run(const Pass& pass, const Seq::Started& started, const OpBuf& a_buf,
                const CBuf& c_buf) {
  for (unsigned i = 0; i < pass.rows; i++) a_[i] = a_buf.read(started.a_bank, i, pass.a_word);
  ArrayPass words;
  words.rows = pass.rows;
  words.cols = pass.cols;
  words.tile = pass.tile;
  words.count = pass.count;
  words.first = pass.first;
  words.last = pass.last;
  words.a = a_.data();
  words.b = b_.data();
  words.cycle = started.cycle + result_stage();
  if (started.uses_bias) {
    words.bias_rows = c_buf.row(started.c_bank, 0);
    words.bias_pitch = c_buf.pitch();
  }
  arithmetic_.run(words, results(started.drain_bank));
}

TileResults Array::results(unsigned drain_bank) {
  const std::size_t first = std::size_t{drain_bank} * rows_ * num_pe_;
  return {&even_[first], &odd_[first], num_pe_};
}

}  // namespace mxe::engine
