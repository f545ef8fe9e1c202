// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/timing/common/walk.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Iterates over the rows of C or D, tile by tile in the order of the array (mxe_rows).
class Rows {
 public:
  Rows() = default;
  /// `number_bytes`: size of a number. `one_row`: only the first row of each tile (C is one row).
  Rows(const Params& params, uint64_t address, uint32_t stride, uint32_t batch, uint32_t m,
       uint32_t n, unsigned number_bytes, bool one_row)
      : tile_bytes_(params.num_pe * number_bytes),
        stride_(stride),
        one_row_(one_row),
        walk_(params, {false, true, false}, batch, m, n, 1),
        phase_(address | stride | tile_bytes_, tile_bytes_, params.mem_bytes()),
        group_tiles_(params.acc_tiles),
        stripe_rows_(params.rows),
        stripe_(address),
        row_address_(address) {}

  bool valid() const { return walk_.valid(); }
  uint64_t address() const { return row_address_ + column_offset_; }
  unsigned cols() const { return walk_.cols(); }
  unsigned row() const { return row_; }                    ///< within the tile
  bool last_tile() const { return walk_.ends_columns(); }  ///< of the stripe
  /// Row of the stacked products, and first column of the tile.
  uint64_t matrix_row() const { return walk_.row() + row_; }
  uint64_t column() const { return walk_.column(); }
  bool last_row() const { return one_row_ || row_ + 1 == walk_.rows(); }

  bool same_place(const Rows& other) const {
    return valid() == other.valid() && matrix_row() == other.matrix_row() &&
           column() == other.column();
  }
  void visit(StateVisitor& visitor) {
    walk_.visit(visitor);
    if (visitor.moves()) {
      if (valid()) move(visitor.loop(), visitor.iterations());
      return;
    }
    visitor.value(row_);
    visitor.value(phase_.of(address()));
  }

  void step() {
    if (!last_row()) {
      row_++;
      row_address_ += stride_;
      return;
    }
    row_ = 0;
    const Walk::Next next = walk_.next();
    if (next == Walk::Next::tile || next == Walk::Next::group) {
      row_address_ = stripe_;
      column_offset_ += tile_bytes_;
    } else {
      row_address_ += stride_;
      stripe_ = row_address_;
      column_offset_ = 0;
    }
    walk_.step();
  }

 private:
  /// Advances with the walk after a skip.
  void move(Loop loop, uint64_t iterations) {
    if (loop == Loop::tile) column_offset_ += iterations * tile_bytes_;
    if (loop == Loop::group) column_offset_ += iterations * tile_bytes_ * group_tiles_;
    if (loop != Loop::stripe) return;
    row_address_ += iterations * stripe_rows_ * stride_;
    stripe_ += iterations * stripe_rows_ * stride_;
  }

  uint32_t tile_bytes_ = 0, stride_ = 0;
  bool one_row_ = false;
  Walk walk_;
  AddressPhase phase_;
  uint64_t group_tiles_ = 0, stripe_rows_ = 0;
  uint64_t stripe_ = 0, row_address_ = 0, column_offset_ = 0;
  unsigned row_ = 0;
};

}  // namespace mxe::engine
