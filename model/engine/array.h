// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/cbuf.h"
#include "model/engine/feed.h"
#include "model/engine/opbuf.h"
#include "model/engine/seq.h"
#include "model/params/params.h"

namespace mxe {

/// Dot-product array (mxe_array with its mxe_pe). The golden GEMM of the numerics library computes
/// all results of a tile when the tile's last pass starts.
class Array {
 public:
  /// Cycles from a row's issue to the read of its bias, and to its result.
  static constexpr unsigned kBiasReadStage = kDotLatency;
  static constexpr unsigned kResultStage = kDotLatency + kAccLatency;

  explicit Array(const Params& params);

  /// Runs a pass: the first of a tile keeps its bias, the last computes its results.
  void run(const Pass& pass, const Seq::Started& started, OpBuf& a_buf, OpBuf& b_buf,
           const CBuf& c_buf);
  /// Results of the tile in this drain bank, [row][PE], as FP32 bits.
  const uint32_t* results(unsigned drain_bank) const;

 private:
  struct Tile {
    bool has_bias = false;
    std::vector<float> bias;  // [row][column]
  };

  void keep_bias(const Pass& pass, const Seq::Started& started, const CBuf& c_buf);

  unsigned rows_, num_pe_;
  bool fp4_dual_;
  std::vector<Tile> tiles_;        // of the group
  std::vector<uint32_t> results_;  // [drain bank][row][PE]
};

}  // namespace mxe
