#pragma once

#include <cstdint>

#include "engine/params.h"
#include "engine/walk.h"

namespace mxe {

/// The rows of the tiles of a matrix of numbers (C or D), tile by tile in the array's order
/// (mxe_rows).
class Rows {
 public:
  Rows() = default;
  /// `number_bytes` is the size of a number. `one_row`: only the first row of each tile (a row
  /// vector as C).
  Rows(const Params& params, uint64_t address, uint32_t stride, uint32_t m, uint32_t n,
       unsigned number_bytes, bool one_row)
      : tile_bytes_(params.num_pe * number_bytes),
        stride_(stride),
        one_row_(one_row),
        walk_(params, {false, true, false}, m, n, 1),
        stripe_(address),
        row_address_(address) {}

  bool valid() const { return walk_.valid(); }
  uint64_t address() const { return row_address_ + column_offset_; }
  unsigned cols() const { return walk_.cols(); }
  unsigned row() const { return row_; }                    ///< within the tile
  bool last_tile() const { return walk_.ends_columns(); }  ///< of the stripe
  bool last_row() const { return one_row_ || row_ + 1 == walk_.rows(); }

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
  uint32_t tile_bytes_ = 0, stride_ = 0;
  bool one_row_ = false;
  Walk walk_;
  uint64_t stripe_ = 0, row_address_ = 0, column_offset_ = 0;
  unsigned row_ = 0;
};

}  // namespace mxe
