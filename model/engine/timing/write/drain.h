// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/timing/common/descriptor.h"
#include "model/engine/timing/common/rows.h"
#include "model/engine/timing/common/trace.h"
#include "model/engine/timing/write/requant.h"
#include "model/engine/timing/write/wr_port.h"
#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Drain (mxe_drain): passes the rows of tiles on, segment by segment, as they come from the array:
/// numbers to the write port, MX results to the requantiser.
class Drain {
 public:
  Drain(const Params& params, WrPort& wr_port, Arithmetic& arithmetic, TracePoint trace);

  /// A job starts. `pitch`: values from row to row of the results that put_tile() gets.
  void start(const Descriptor& job, bool dual, unsigned pitch);
  void clear();

  /// The next tile's first row arrives in `cycle`, the others in the cycles after it. `results` are
  /// its values by rows, FP32 bits, or null if only the time counts; `odd` those of the second
  /// chain, null if there is none.
  void put_tile(uint64_t cycle, const uint32_t* results, const uint32_t* odd = nullptr);
  void visit(StateVisitor& visitor);
  /// Cycle of the next event: a row leaves the tile buffer, or the requantiser requests a write.
  /// kNever if neither is known yet.
  uint64_t next_event() const;

  struct Drained {
    uint64_t release = kNever;  ///< cycle in which that emptied the bank
    uint32_t bytes = 0;         ///< written
    uint64_t written = 0;       ///< cycle in which their last segment was taken, or later
  };
  /// Carries out that event.
  Drained step();
  /// NaN results of the segments that have left the merge, and saturated elements of the rows
  /// encoded so far. The caller counts them and empties the lists.
  std::vector<Requant::Counted>& nan_results() { return nan_results_; }
  std::vector<Requant::Counted>& saturated() { return requant_.saturated(); }
  /// First cycle after the current row has left the tile buffer for the write port. Rows for the
  /// requantiser are not waited for.
  uint64_t row_done_cycle() const { return numbers_ ? next_cycle_ : 0; }
  /// True if the job runs at the dual rate.
  bool dual() const { return dual_; }
  /// The next row.
  const Rows& rows() const { return rows_; }

 private:
  struct Tile {
    uint64_t from = 0;  // tiles_q counts it
    const uint32_t* results = nullptr;
    const uint32_t* odd = nullptr;
  };

  uint64_t next_row() const;
  uint64_t credit_cycle() const;
  Drained take_row();
  const uint32_t* row_values(const Tile& tile, unsigned cols);
  uint64_t write_row(uint64_t issue, const uint32_t* values, Drained& drained);
  uint64_t collect_row(uint64_t issue, const uint32_t* values);
  void pass_segment(uint64_t issue, const uint32_t* values, unsigned first);
  void finish_tile(uint64_t pushed);
  unsigned delay() const { return kOfferDelay + (dual_ ? kMergeLatency : 0); }

  /// Cycles from a segment's issue to the write port seeing it: the tile buffer is read, the result
  /// kept, the segment pushed into the FIFO, and offered from there.
  static constexpr unsigned kOfferDelay = 3;
  /// Further cycles at the dual rate, for joining the chains (MergeLat).
  static constexpr unsigned kMergeLatency = kAccLatency - 1;

  Params params_;
  WrPort& wr_port_;
  Arithmetic& arithmetic_;
  TracePoint trace_;
  Requant requant_;
  Rows rows_;
  const job::NumberFormat* numbers_ =
      &job::number_formats()[0];  // of the results; null if they are MX
  std::vector<Requant::Counted> nan_results_;
  bool dual_ = false;
  bool contiguous_ = false;  // all rows leave no gap between them: those of a tile are joined
  unsigned pitch_ = 0;
  History<Tile, 2> tiles_;
  uint64_t tile_number_ = 0;  // being read
  uint64_t next_cycle_ = 0;   // the cycle after the last issue
  History<uint64_t, kDrainFifo> taken_;
  unsigned column_ = 0;           // of the tile within the collected columns
  std::vector<uint32_t> merged_;  // a row
  std::vector<uint16_t> narrow_;  // a row
};

}  // namespace mxe::engine
