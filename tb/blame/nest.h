// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/params/params.h"
#include "tb/blame/job.h"

namespace mxe::blame {

/// The loop nest of a job (docs/architecture.md), one step at a time: products, stripes of rows,
/// groups of tiles that share an A chunk, chunks of K, tiles of columns, slabs of K.
class Nest {
 public:
  /// Levels walked in addition to products and stripes; whether tiles are wide and slabs long.
  struct Levels {
    bool groups = true, chunks = true, tiles = true, slabs = true;
    bool wide = false, long_slabs = false;
  };
  /// The levels for the B operand of `job`.
  static Levels levels_of_b(const Params& params, const Job& job) {
    Levels levels;
    const bool few_rows = job.m < 7;
    const bool fast = params.num_pe * job.b.word_bytes < 7 * params.mem_bytes();
    levels.wide = params.acc_tiles > 1 && params.b_buf_k > kBlockSize && few_rows && fast;
    levels.long_slabs = job.b.fmt.is4 && !job.dual;
    return levels;
  }

  Nest() = default;
  Nest(const Params& params, uint64_t batch, uint64_t m, uint64_t n, uint64_t k_words,
       Levels levels)
      : batch_(batch),
        m_(m),
        n_(n),
        k_(k_words),
        rows_(params.rows),
        cols_(params.num_pe),
        tile_cols_(levels.wide ? 2 * cols_ : cols_),
        group_cols_(uint64_t{params.num_pe} * params.acc_tiles),
        chunk_(params.a_slab_k / kBlockSize),
        slab_(params.b_buf_k / kBlockSize),
        levels_(levels),
        valid_(true) {
    if (levels.long_slabs && 2 * slab_ <= chunk_) slab_ *= 2;
    if (levels.wide) slab_ /= 2;
    for (uint64_t factor = 2; factor <= 8 && m * factor <= rows_; factor *= 2) chunk_ *= 2;
  }

  bool valid() const { return valid_; }
  uint64_t product() const { return product_; }
  /// First row, counted over all products
  uint64_t row() const { return product_ * m_ + stripe_at_; }
  uint64_t rows() const { return share(m_ - stripe_at_, rows_, 1); }
  uint64_t column() const { return group_at_ + tile_at_; }
  uint64_t columns() const { return std::min(tile_cols_, n_ - column()); }
  uint64_t tile() const { return tile_at_ / cols_; }  ///< index within the group
  uint64_t chunk() const { return chunk_at_; }        ///< first word of the chunk
  uint64_t slab() const { return slab_at_; }          ///< first word of the slab within the chunk
  uint64_t chunk_words() const { return share(k_ - chunk_at_, chunk_, 2); }
  uint64_t slab_words() const { return share(chunk_words() - slab_at_, slab_, 2); }
  bool first_k() const { return chunk_at_ == 0 && slab_at_ == 0; }
  bool last_k() const { return last_chunk() && last_slab(); }
  /// The A chunk is not used after this step. If K is a single chunk, it is kept for all groups.
  bool last_use() const { return last_slab() && last_tile() && (k_ > chunk_ || last_group()); }
  bool last_tile_of_stripe() const { return last_tile() && last_group(); }

  void step() {
    if (!last_slab()) {
      slab_at_ += slab_words();
      return;
    }
    slab_at_ = 0;
    if (!last_tile()) {
      tile_at_ += tile_cols_;
      return;
    }
    tile_at_ = 0;
    if (!last_chunk()) {
      chunk_at_ += chunk_words();
      return;
    }
    chunk_at_ = 0;
    if (!last_group()) {
      group_at_ += group_columns();
      return;
    }
    group_at_ = 0;
    stripe_at_ += rows();
    if (stripe_at_ < m_) return;
    stripe_at_ = 0;
    valid_ = ++product_ < batch_;
  }

 private:
  /// Size of the next part: `most`, except that the last two parts split the remainder evenly, in
  /// multiples of `unit`. Example: 33 rows, most 32, unit 1 -> 17, 16.
  static uint64_t share(uint64_t left, uint64_t most, uint64_t unit) {
    if (left <= most) return left;
    if (left >= 2 * most) return most;
    const uint64_t half = (left + 1) / 2;
    return (half + unit - 1) / unit * unit;
  }
  uint64_t group_columns() const {
    if (levels_.wide) return group_cols_;
    return share((n_ - group_at_ + cols_ - 1) / cols_, group_cols_ / cols_, 1) * cols_;
  }
  bool last_slab() const { return !levels_.slabs || slab_at_ + slab_words() == chunk_words(); }
  bool last_tile() const {
    return !levels_.tiles || tile_at_ + tile_cols_ >= group_columns() ||
           column() + tile_cols_ >= n_;
  }
  bool last_chunk() const { return !levels_.chunks || chunk_at_ + chunk_words() == k_; }
  bool last_group() const { return !levels_.groups || group_at_ + group_cols_ >= n_; }

  uint64_t batch_ = 0, m_ = 0, n_ = 0, k_ = 0;
  uint64_t rows_ = 1, cols_ = 1, tile_cols_ = 1, group_cols_ = 1, chunk_ = 1, slab_ = 1;
  Levels levels_;
  uint64_t product_ = 0;
  uint64_t stripe_at_ = 0, group_at_ = 0, tile_at_ = 0, chunk_at_ = 0, slab_at_ = 0;
  bool valid_ = false;
};

}  // namespace mxe::blame
