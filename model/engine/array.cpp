// SPDX-License-Identifier: Apache-2.0
#include "model/engine/array.h"

#include <cstring>

#include "model/numerics/gemm.h"

namespace mxe {
namespace {

constexpr unsigned kDrainBanks = 2;

}  // namespace

Array::Array(const Params& params)
    : rows_(params.rows),
      num_pe_(params.num_pe),
      fp4_dual_(params.fp4_dual != 0),
      tiles_(params.acc_tiles),
      results_(std::size_t{kDrainBanks} * rows_ * num_pe_) {}

void Array::run(const Pass& pass, const Seq::Started& started, OpBuf& a_buf, OpBuf& b_buf,
                const CBuf& c_buf) {
  if (pass.first) keep_bias(pass, started, c_buf);
  if (!pass.last) return;
  const Tile& tile = tiles_[pass.tile];
  const std::vector<float> values =
      mx::gemm_block(a_buf.rows(pass.a_set, pass.rows), b_buf.rows(pass.b_set, pass.cols),
                     tile.has_bias ? tile.bias.data() : nullptr, fp4_dual_);
  for (unsigned row = 0; row < pass.rows; row++) {
    std::memcpy(&results_[(std::size_t{started.drain_bank} * rows_ + row) * num_pe_],
                &values[std::size_t{row} * pass.cols], pass.cols * sizeof(float));
  }
}

void Array::keep_bias(const Pass& pass, const Seq::Started& started, const CBuf& c_buf) {
  Tile& tile = tiles_[pass.tile];
  tile.has_bias = started.uses_bias;
  if (!tile.has_bias) return;
  tile.bias.resize(std::size_t{pass.rows} * pass.cols);
  for (unsigned row = 0; row < pass.rows; row++) {
    std::memcpy(&tile.bias[std::size_t{row} * pass.cols], c_buf.row(started.c_bank, row),
                pass.cols * sizeof(float));
  }
}

const uint32_t* Array::results(unsigned drain_bank) const {
  return &results_[std::size_t{drain_bank} * rows_ * num_pe_];
}

}  // namespace mxe
