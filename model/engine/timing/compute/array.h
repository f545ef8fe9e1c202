// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/timing/compute/seq.h"
#include "model/engine/timing/read/cbuf.h"
#include "model/engine/timing/read/feed.h"
#include "model/engine/timing/read/opbuf.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Dot-product array (mxe_array): passes the operand words of each pass to the arithmetic and holds
/// the results of the last two tiles for the drain.
class Array {
 public:
  /// Cycles from a row's issue to the read of its bias; to its result.
  static constexpr unsigned kBiasReadStage = kDotLatency;
  static constexpr unsigned kResultStage = kDotLatency + kAccLatency;

  Array(const Params& params, Arithmetic& arithmetic);

  void load_b(const Pass& pass, const OpBuf& b_buf);
  void run(const Pass& pass, const Seq::Started& started, const OpBuf& a_buf, const CBuf& c_buf);
  TileResults results(unsigned drain_bank);

 private:
  Arithmetic& arithmetic_;
  unsigned rows_, num_pe_;
  std::vector<OperandWord> a_, b_;    // of the pass
  std::vector<uint32_t> even_, odd_;  // [drain bank][row][PE]
};

}  // namespace mxe::engine
