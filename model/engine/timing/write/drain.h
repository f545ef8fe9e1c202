// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/timing/common/descriptor.h"
#include "model/engine/timing/common/rows.h"
#include "model/engine/timing/common/trace.h"
#include "model/engine/timing/read/cbuf.h"
#include "model/engine/timing/write/requant.h"
#include "model/engine/timing/write/wr_port.h"
#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Drain (mxe_drain): sends finished rows in segments to the write port or (MX) the requantiser.
class Drain {
 public:
  /// `c_buf`: the bias of jobs with ALPHA, from bank number `c_number` (BankFills) on.
  Drain(const Params& params, WrPort& wr_port, Arithmetic& arithmetic, const CBuf& c_buf,
        TracePoint trace);

  /// Starts a job. `pitch`: values from row to row in put_tile(). `c_number`: number (BankFills) of
  /// the next bias bank.
  void start(const Descriptor& job, bool dual, unsigned pitch, uint64_t c_number);
  void clear();

  /// The next tile's first row arrives in `cycle`, one row per cycle follows. `results`: FP32 bits,
  /// by rows; null if only the time is needed. `odd`: the second chain, null at the single rate.
  /// `finished`: the results contain ALPHA and the bias.
  void put_tile(uint64_t cycle, const uint32_t* results, const uint32_t* odd, bool finished);
  void visit(StateVisitor& visitor);
  /// Cycle of the next event: a row leaves the tile buffer, or a write request. kNever: unknown.
  uint64_t next_event() const;

  struct Drained {
    uint64_t release = kNever;       ///< cycle in which the bank became empty
    uint64_t bias_release = kNever;  ///< cycle in which the last row of a bias bank was read
    uint32_t bytes = 0;
    uint64_t written = 0;  ///< cycle in which `bytes` are counted
  };
  /// Computes the next event. A row needs several if the write port waits for acknowledgements; all
  /// but one of them return nothing.
  Drained step();
  /// Cycle in which a row continues that waits for the write port; kNever if none can.
  uint64_t resume_cycle() const;
  /// Continues that row.
  Drained resume();
  /// NaN results of the segments sent, and saturated elements of the rows encoded so far. The
  /// caller counts them and empties the lists.
  std::vector<Requant::Counted>& nan_results() { return nan_results_; }
  std::vector<Requant::Counted>& saturated() { return requant_.saturated(); }
  /// First cycle after the row has left the tile buffer for the write port; 0 for MX results.
  uint64_t row_done_cycle() const { return numbers_ ? next_cycle_ : 0; }
  bool dual() const { return dual_; }
  const Rows& rows() const { return rows_; }

 private:
  struct Tile {
    uint64_t from = 0;  // cycle from which tiles_q counts the tile
    const uint32_t* results = nullptr;
    const uint32_t* odd = nullptr;
    bool finished = false;
  };

  /// A row that the write port has accepted. Segments are issued before the write port takes those
  /// before them, while the FIFO has room.
  struct Sending {
    const uint32_t* values = nullptr;
    uint64_t first_issue = 0;  // cycle of its first segment
    uint64_t issue = 0;        // of the last segment issued
    uint32_t issued_bytes = 0;
    uint32_t bytes = 0;            // of the row
    uint32_t written = 0;          // bytes, see WrPort::accept
    std::deque<uint64_t> offered;  // segments that are not taken: cycles in which they are offered
  };

  uint64_t next_row() const;
  uint64_t credit_cycle() const;
  Drained begin_row();
  Drained finish_row(uint64_t first_issue, uint64_t last_issue);
  const uint32_t* row_values(const Tile& tile, unsigned cols);
  void begin_write(uint64_t issue, const uint32_t* values);
  Drained send_segments();
  void take_segments();
  Drained write_block();
  uint64_t collect_row(uint64_t issue, const uint32_t* values);
  void pass_segment(uint64_t issue, const uint32_t* values, unsigned first);
  void finish_tile(uint64_t pushed);
  unsigned delay() const {
    return kOfferDelay + (dual_ || adds_c_ ? kMergeLatency : 0) + (alpha_ ? kAlphaLatency : 0);
  }

  /// Cycles from a segment's issue to the write port: read of the tile buffer, register, FIFO.
  static constexpr unsigned kOfferDelay = 3;
  /// Cycles from a segment's issue to the read of its C.
  static constexpr unsigned kBiasDelay = kAlphaLatency;
  /// Additional cycles to merge two chains or to add C (MergeLat).
  static constexpr unsigned kMergeLatency = kAccLatency - 1;

  Params params_;
  WrPort& wr_port_;
  Arithmetic& arithmetic_;
  const CBuf& c_buf_;
  TracePoint trace_;
  Requant requant_;
  Rows rows_;
  const job::NumberFormat* numbers_ = &job::number_formats()[0];  // null: MX results
  std::vector<Requant::Counted> nan_results_;
  bool dual_ = false;
  bool alpha_ = false, adds_c_ = false;
  uint32_t alpha_bits_ = 0;
  uint64_t c_number_ = 0;    // of the bias bank of the tile being read
  bool contiguous_ = false;  // no MX results, one tile wide, no gaps: its rows are joined
  unsigned pitch_ = 0;
  std::optional<Sending> sending_;
  History<Tile, 2> tiles_;
  uint64_t tile_number_ = 0;  // of the tile being read
  uint64_t next_cycle_ = 0;   // cycle after the last issue
  History<uint64_t, kDrainFifo> taken_;
  uint64_t segments_ = 0;         // issued so far
  unsigned column_ = 0;           // of the tile in the collected columns
  std::vector<uint32_t> merged_;  // one row
  std::vector<uint16_t> narrow_;  // one row
};

}  // namespace mxe::engine
