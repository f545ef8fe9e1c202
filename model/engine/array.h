#pragma once

#include <cstdint>
#include <vector>

#include "engine/cbuf.h"
#include "engine/feed.h"
#include "engine/opbuf.h"
#include "engine/params.h"
#include "engine/seq.h"
#include "numerics/format.h"

namespace mxe {

/// Dot-product array (mxe_array with its mxe_pe): NUM_PE columns of accumulators and the arithmetic
/// of a pass, by the functions of the numerics library.
class Array {
 public:
  /// Cycles from a row's issue to the last bias read of the row, and to its result.
  static constexpr unsigned kBiasReadStage = kDotLatency;
  static constexpr unsigned kResultStage = kDotLatency + kAccLatency;

  explicit Array(const Params& params);

  void configure(mx::FormatId format_a, mx::FormatId format_b, bool dual);
  /// Copies the B words of a pass into the PEs, before the bank is released.
  void load_b(const Pass& pass, const OpBuf& b_buf);
  /// Runs all rows of a pass. In a tile's last pass the results are final.
  void run(const Pass& pass, const Seq::Started& started, const OpBuf& a_buf, const CBuf& c_buf);
  /// Results of the tile that was given this drain bank, [row][PE], FP32 bits.
  const uint32_t* results(unsigned drain_bank) const;

 private:
  void run_row(const Pass& pass, unsigned row, const uint8_t* a, const uint8_t* a_scales,
               const uint32_t* bias, uint32_t* results);

  unsigned rows_, num_pe_;
  mx::FormatId format_a_ = mx::FormatId::mxint8, format_b_ = mx::FormatId::mxint8;
  bool dual_ = false;
  std::vector<uint8_t> b_codes_, b_scales_;  // [PE][64], [PE][2]
  std::vector<uint32_t> even_, odd_;         // accumulators [tile][row][PE]
  std::vector<uint32_t> results_;            // [drain bank][row][PE]
};

}  // namespace mxe
