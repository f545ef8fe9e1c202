// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/timing/common/banks.h"
#include "model/engine/timing/common/counters.h"
#include "model/engine/timing/read/feed.h"

namespace mxe::engine {

/// Sequencer (mxe_seq): starts the passes, each of one row per cycle and those of a tile at least
/// kMinPass cycles apart, and counts why the array waits between them.
class Seq {
 public:
  Seq(const Params& params, const BankFills& a_fills, const BankFills& c_fills, Counters& counters)
      : a_fills_(a_fills), c_fills_(c_fills), counters_(counters), acc_free_(params.acc_tiles) {}

  /// A job runs from `cycle` on (run_i). `dual`: two blocks a cycle.
  void start(uint64_t cycle, bool bias, bool dual);
  void clear();
  void visit(StateVisitor& visitor);
  /// Numbers of the A and bias banks in use, and the end of the last pass.
  uint64_t a_number() const { return a_number_; }
  uint64_t c_number() const { return c_number_; }
  uint64_t free_cycle() const { return free_cycle_; }

  /// Cycle in which `pass` starts; kNever if not yet known. Null if no pass is offered.
  uint64_t next_start(const Pass* pass) const;

  struct Started {
    uint64_t cycle = 0;
    uint64_t last_row = 0;  ///< its last row is issued
    unsigned a_bank = 0, c_bank = 0, drain_bank = 0;
    bool uses_bias = false;
  };
  /// Starts `pass`.
  Started start_pass(const Pass& pass);
  /// A drain bank was emptied in `cycle`.
  void release_drain(uint64_t cycle) { drain_released_.push(cycle + 1); }
  /// The job ends or is aborted, and no pass remains; `cycle` is its last.
  void finish(uint64_t cycle);
  /// The job is aborted. Passes still start until clear(), but waits are not counted.
  void halt() { halted_ = true; }
  /// The job is aborted while `pass` is awaited; `cycle` is its last.
  void abort_job(uint64_t cycle, const Pass& pass);

 private:
  bool uses_bias(const Pass& pass) const { return pass.first && bias_; }
  uint64_t a_ready() const { return a_fills_.full_cycle(a_number_); }
  uint64_t c_ready(const Pass& pass) const;
  /// How many tiles after the tile of the last pass that of `pass` is, in a circle.
  std::size_t tiles_on(const Pass& pass) const {
    return (pass.tile + acc_free_.size() - last_tile_) % acc_free_.size();
  }
  uint64_t acc_ready(const Pass& pass) const { return acc_free_[tiles_on(pass)]; }
  uint64_t drain_ready(const Pass& pass) const;
  void count_waiting(const Pass& pass, uint64_t start);

  static constexpr unsigned kDrainBanks = 2;

  const BankFills& a_fills_;
  const BankFills& c_fills_;
  Counters& counters_;
  bool bias_ = false, dual_ = false, halted_ = false;
  uint64_t a_number_ = 0, c_number_ = 0;  // of the banks in use
  uint64_t tiles_ = 0;                    // those that have taken a drain bank
  History<uint64_t, kDrainBanks> drain_released_;
  uint64_t free_cycle_ = 0;  // the pass before has ended
  unsigned last_tile_ = 0;   // of the last pass
  // For each tile, from that one on: first cycle in which its accumulators are written.
  std::vector<uint64_t> acc_free_;
};

}  // namespace mxe::engine
