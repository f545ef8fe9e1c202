#pragma once

#include <cstdint>
#include <vector>

#include "engine/hardware.h"
#include "engine/params.h"
#include "engine/rows.h"
#include "engine/wr_port.h"

namespace mxe {

/// Drain (mxe_drain): passes the rows of finished tiles to the write port, segment by segment,
/// while the array computes the next tile.
class Drain {
 public:
  Drain(const Params& params, WrPort& wr_port) : params_(params), wr_port_(wr_port) {}

  void start(uint64_t address, uint32_t stride, uint32_t m, uint32_t n, bool dual);
  void clear();

  /// The next tile's last result arrives in `cycle`. `results` are its values [row][PE], FP32 bits,
  /// or null if only the time counts.
  void put_tile(uint64_t cycle, const uint32_t* results);
  /// Cycle in which the next row leaves the tile buffer; kNever if none does yet.
  uint64_t next_row() const;

  struct Drained {
    uint64_t release = kNever;  ///< cycle in which that emptied the bank
    uint64_t pushed = 0;        ///< cycle in which its last segment left the merge
    unsigned nan_results = 0;
    uint32_t bytes = 0;
  };
  /// Takes the next row.
  Drained take_row();
  bool done() const { return !rows_.valid(); }

 private:
  uint64_t credit_from() const;

  /// Cycles from a segment's issue to the write port seeing it: the tile buffer is read, the
  /// segment pushed into the FIFO, and offered from there.
  static constexpr unsigned kOfferDelay = 2;
  /// More at the dual rate: the chains are joined (MergeLat).
  static constexpr unsigned kMergeLatency = kAccLatency - 1;

  Params params_;
  WrPort& wr_port_;
  Rows rows_;
  bool dual_ = false;
  struct Tile {
    uint64_t from = 0;  // tiles_q counts it
    const uint32_t* results = nullptr;
  };
  History<Tile, 2> tiles_;
  uint64_t tile_number_ = 0;  // being read
  uint64_t next_from_ = 0;    // the cycle after the last issue
  History<uint64_t, kDrainFifo> taken_;
};

}  // namespace mxe
