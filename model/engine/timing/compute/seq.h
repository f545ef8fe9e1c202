// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/timing/common/banks.h"
#include "model/engine/timing/common/counters.h"
#include "model/engine/timing/read/feed.h"

namespace mxe::engine {

/// Sequencer (mxe_seq): starts passes and counts the array's waits between them. A pass issues one
/// row per cycle; passes of one tile start at least kMinPass cycles apart.
class Seq {
 public:
  Seq(const Params& params, const BankFills& a_fills, const BankFills& c_fills, Counters& counters)
      : a_fills_(a_fills), c_fills_(c_fills), counters_(counters), acc_free_(params.acc_tiles) {}

  /// A job runs from `cycle` on (run_i).
  void start(uint64_t cycle, bool bias, bool dual);
  void clear();
  void visit(StateVisitor& visitor);
  /// Numbers (BankFills) of the A and bias banks in use, and the first cycle after the last pass.
  uint64_t a_number() const { return a_number_; }
  uint64_t c_number() const { return c_number_; }
  /// The drain has used a bias bank (ALPHA).
  void skip_bias() { c_number_++; }
  uint64_t free_cycle() const { return free_cycle_; }

  /// Cycle in which `pass` starts; kNever if unknown or `pass` is null.
  uint64_t next_start(const Pass* pass) const;

  struct Started {
    uint64_t cycle = 0;
    uint64_t last_row = 0;
    unsigned a_bank = 0, c_bank = 0, drain_bank = 0;
    bool uses_bias = false;
  };
  Started start_pass(const Pass& pass);
  void release_drain(uint64_t cycle) { drain_released_.push(cycle + 1); }
  /// `cycle` is the job's last; no pass follows.
  void finish(uint64_t cycle);
  /// The job is aborted and `cycle` is its last. Counts the wait for `pass`, which would be next.
  void abort_job(uint64_t cycle, const Pass& pass);

 private:
  bool uses_bias(const Pass& pass) const { return pass.first && bias_; }
  uint64_t a_ready() const { return a_fills_.full_cycle(a_number_); }
  uint64_t c_ready(const Pass& pass) const;
  /// Distance from the tile of the last pass to that of `pass`, modulo ACC_TILES.
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
  bool bias_ = false, dual_ = false;
  uint64_t a_number_ = 0, c_number_ = 0;  // of the banks in use
  uint64_t tiles_ = 0;                    // that have taken a drain bank
  History<uint64_t, kDrainBanks> drain_released_;
  uint64_t free_cycle_ = 0;  // end of the last pass
  unsigned last_tile_ = 0;
  // By distance from last_tile_: first cycle in which the tile's next pass may start.
  std::vector<uint64_t> acc_free_;
};

}  // namespace mxe::engine
