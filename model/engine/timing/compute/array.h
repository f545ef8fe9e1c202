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
  Array(const Params& params, Arithmetic& arithmetic);

  /// A job starts; `nvfp4`: its rows have kScaledLatency more stages.
  void start(bool nvfp4) { more_stages_ = nvfp4 ? kScaledLatency : 0; }
  /// Cycles from a row's issue to the read of its bias; to its result.
  unsigned bias_read_stage() const { return kDotLatency + more_stages_; }
  unsigned result_stage() const { return bias_read_stage() + kAccLatency; }

  void load_b(const Pass& pass, const OpBuf& b_buf);
  void run(const Pass& pass, const Seq::Started& started, const OpBuf& a_buf, const CBuf& c_buf);
  TileResults results(unsigned drain_bank);

 private:
  Arithmetic& arithmetic_;
  unsigned rows_, num_pe_;
  unsigned more_stages_ = 0;
  std::vector<OperandWord> a_, b_;    // of the pass
  std::vector<uint32_t> even_, odd_;  // [drain bank][row][PE]
};

}  // namespace mxe::engine
