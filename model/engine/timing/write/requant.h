// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/timing/write/wr_port.h"
#include "model/numerics/quantize/requantize.h"
#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Destination and rounding of MX results.
struct BlockOutput {
  uint64_t address = 0, scale_address = 0;
  uint32_t stride = 0, scale_stride = 0;
  numerics::RequantOptions options;
};

/// Requantiser (mxe_requant, mxe_collect, mxe_block_wr): collects the tiles of max(32, NUM_PE)
/// columns, encodes them row by row while it collects the next ones, and writes each row's elements
/// and scale.
class Requant {
 public:
  Requant(const Params& params, WrPort& wr_port, Arithmetic& arithmetic);

  void start(const BlockOutput& output);
  void clear();

  void visit(StateVisitor& visitor);

  /// Columns per bank: max(32, NUM_PE).
  unsigned stage_cols() const { return stage_cols_; }
  /// Receives a row of a tile for the bank's columns from `first` on. Null `values`: only the time
  /// is needed.
  void collect(unsigned row, unsigned first, const uint32_t* values, unsigned cols);

  /// Collected columns, ready to be encoded.
  struct Stage {
    unsigned rows = 0, cols = 0;
    bool end = false;  ///< these are the last columns of D
  };
  /// Cycle in which the largest magnitude of a segment pushed in `cycle` is valid.
  uint64_t collected(uint64_t cycle) const { return cycle + collect_latency_; }
  /// Completes a bank, whose last segment is pushed in `cycle`.
  void fill(uint64_t cycle, const Stage& stage);
  /// First cycle in which a bank is free; kNever if that depends on later writes.
  uint64_t bank_cycle() const;

  /// Cycle of the next write request; kNever if there is none yet, or while one is not complete.
  uint64_t next_write() const;
  /// Cycle in which an incomplete write continues; kNever if there is none, or it waits.
  uint64_t resume_cycle() const { return writing_ ? wr_port_.known_cycle() : kNever; }
  struct Written {
    uint64_t cycle = 0;  ///< the last segment is taken
    uint32_t bytes = 0;
  };
  /// Issues the next write request with its data, or continues it. Null if the write port waits for
  /// an acknowledgement that is not known.
  std::optional<Written> write();

  struct Counted {
    uint64_t cycle;
    unsigned count;
  };
  /// The caller empties the list.
  std::vector<Counted>& saturated() { return saturated_; }

 private:
  struct Row {
    uint64_t valid_cycle = 0;  // at the head of the FIFO
    EncodedRow data;
    uint32_t bytes = 0;
    bool with_data = false;
    bool last = false;      // of its block
    bool cols_end = false;  // its block is the last one along N
  };

  struct Bank {
    Stage stage;
    uint64_t from = 0;  // first cycle in which it may be read
  };

  uint32_t* bank_values(uint64_t number) { return &values_[number % kCollected * bank_size_]; }
  bool active() const { return read_cycles_.count() < banks_.count(); }
  void encode_rows();
  Row encode_row(unsigned row, unsigned block, unsigned cols, uint64_t first_read);
  uint64_t credit_cycle() const;
  void begin_write();
  void finish_row(const Row& row, uint64_t pop);
  void move(Loop loop, uint64_t iterations);

  WrPort& wr_port_;
  Arithmetic& arithmetic_;
  unsigned rows_, stage_cols_, lanes_;
  unsigned num_pe_, group_cols_, beat_bytes_;
  unsigned collect_latency_;
  BlockOutput output_;

  // collect
  std::size_t bank_size_;
  std::vector<uint32_t> values_;  // [bank][row][column], FP32 bits
  bool with_data_ = false;
  // encode
  History<Bank, kCollected> banks_;            // complete
  History<uint64_t, kCollected> read_cycles_;  // last read of each (read_o)
  unsigned block_ = 0, row_ = 0;               // next to be read
  uint64_t read_cycle_ = 0;
  History<uint64_t, kRequantFifo> popped_;
  uint64_t rows_read_ = 0;
  std::vector<Counted> saturated_;
  // write
  std::deque<Row> queue_;
  /// A write request whose segments are sent.
  struct Writing {
    Written written;
    uint64_t accepted = 0, offered = 0;
    uint32_t byte = 0;  // of the next segment
  };
  std::optional<Writing> writing_;
  bool scale_turn_ = false;
  uint64_t request_cycle_ = 0, data_cycle_ = 0;
  uint64_t element_stripe_ = 0, element_row_ = 0, scale_stripe_ = 0, scale_row_ = 0;
  uint64_t element_col_ = 0, scale_col_ = 0;
  AddressPhase phase_;
};

}  // namespace mxe::engine
