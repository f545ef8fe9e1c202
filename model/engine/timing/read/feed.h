// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "model/engine/timing/common/banks.h"
#include "model/engine/timing/common/walk.h"
#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::engine {

/// One pass of the array: one operand word of K, for all rows and columns of a tile.
struct Pass {
  unsigned rows = 0, cols = 0;
  unsigned tile = 0;                 ///< within the group
  uint64_t row = 0;                  ///< first row of the tile in D
  uint32_t column = 0;               ///< first column of the tile in D
  unsigned a_word = 0;               ///< its operand word within the A bank
  unsigned b_bank = 0, b_word = 0;   ///< position of its B words
  unsigned count = 0;                ///< elements of the word within K
  bool first = false, last = false;  ///< of the tile
  bool a_done = false;               ///< the last pass that needs the A chunk
  uint64_t read_cycle = 0;           ///< its B words are read from this cycle on
  uint64_t offered_cycle = 0;        ///< first cycle in which the sequencer sees it (pass_valid)
};

/// Feeder (mxe_feed): follows the loop nest word by word along K and reads the B words of a tile's
/// columns into the PEs, feed_cols() columns per cycle, while the previous pass runs. The two tiles
/// of a wide tile alternate passes, word by word; their slabs are in two banks.
class Feed {
 public:
  Feed(const Params& params, const BankFills& b_fills) : params_(params), b_fills_(b_fills) {}

  /// A job starts in `cycle`, walked as `levels` says. `tail_count`: elements of the last word,
  /// `word_elements` of any other. `chained`: its slabs are in the banks after those of the job
  /// before.
  void start(uint64_t cycle, const Walk::Levels& levels, uint32_t batch, uint32_t m, uint32_t n,
             uint32_t k_words, unsigned tail_count, unsigned word_elements, bool chained);
  void clear();
  void visit(StateVisitor& visitor);
  /// Number of the B bank that the feeder reads or waits for.
  uint64_t bank_number() const { return bank_number_ + second_; }

  /// Cycle in which the last B word of the next pass is read; kNever if unknown, if a pass is
  /// offered or if none remains.
  uint64_t next_read() const;
  /// Reads these B words and offers the pass to the sequencer. Returns the cycle in which that
  /// releases the B bank; kNever if the bank is still needed.
  uint64_t read();
  /// The step of the nest that the last read() completed, if it completed one.
  std::optional<Walk::Next> stepped() const { return stepped_; }

  /// The pass that is offered; null if none is.
  const Pass* offered() const { return offered_ ? &pass_ : nullptr; }
  /// The offered pass. If none is offered: the next pass, with only read_cycle set.
  Pass awaited() const;
  /// The sequencer starts the offered pass in `cycle`.
  void start_pass(uint64_t cycle) {
    offered_ = false;
    read_allowed_cycle_ =
        cycle;  // the shadows are free: the PEs take them over before the next word gets there
  }
  /// True if every pass of the job was started.
  bool done() const { return !walk_.valid() && !offered_; }

 private:
  uint64_t read_cycle() const;
  /// Columns of the tile whose words are read.
  unsigned cols() const;
  bool last_of_two() const { return second_ || walk_.cols() <= params_.num_pe; }

  Params params_;
  const BankFills& b_fills_;
  Walk walk_;
  unsigned tail_count_ = 0, word_elements_ = 0;
  uint64_t bank_number_ = 0;         // of the slab, the first of a wide tile
  bool second_ = false;              // the second of two tiles
  unsigned word_ = 0;                // within the slab
  unsigned slab_base_ = 0;           // of the slab within the chunk
  uint64_t read_allowed_cycle_ = 0;  // reading may begin
  bool offered_ = false;
  std::optional<Walk::Next> stepped_;
  Pass pass_;
};

}  // namespace mxe::engine
