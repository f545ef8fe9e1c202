// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/params/nest.h"
#include "model/params/params.h"
#include "tb/blame/job.h"

namespace mxe::blame {

/// The loop nest of a job (docs/architecture.md), one step at a time: products, stripes of rows,
/// groups of tiles that share an A chunk, chunks of K, tiles of columns, slabs of K.
class Nest {
 public:
  /// Levels walked in addition to products and stripes. `wide`: tiles are pairs; `long_slabs`:
  /// slabs are twice as long.
  struct Levels {
    bool groups = true, chunks = true, tiles = true, slabs = true;
    bool wide = false, long_slabs = false;
  };
  static Levels levels_of_b(const Params& params, const Job& job) {
    Levels levels;
    const auto word_bytes = static_cast<unsigned>(job.b.word_bytes);
    levels.wide = LoopNest::is_wide(params, job.m, word_bytes);
    levels.long_slabs = LoopNest::has_long_slabs(word_bytes);
    return levels;
  }

  Nest() = default;
  Nest(const Params& params, uint64_t batch, uint64_t m, uint64_t n, uint64_t k_words,
       Levels levels)
      : params_(params),
        batch_(batch),
        m_(m),
        n_(n),
        k_(k_words),
        tile_cols_(LoopNest::tile_columns(params, levels.wide)),
        chunk_(LoopNest::chunk_words(params, m)),
        slab_(LoopNest::slab_words(params, levels.wide, levels.long_slabs)),
        levels_(levels),
        valid_(true) {}

  bool valid() const { return valid_; }
  uint64_t product() const { return product_; }
  /// First row, counted over all products: product 2 of 40 rows, stripe at row 32: 112.
  uint64_t row() const { return product_ * m_ + stripe_at_; }
  uint64_t rows() const { return LoopNest::next_part(m_ - stripe_at_, params_.rows); }
  uint64_t column() const { return group_at_ + tile_at_; }
  uint64_t columns() const { return std::min(tile_cols_, n_ - column()); }
  uint64_t tile() const { return tile_at_ / params_.num_pe; }  ///< index within the group
  uint64_t chunk() const { return chunk_at_; }                 ///< first word of the chunk
  uint64_t slab() const { return slab_at_; }  ///< first word of the slab within the chunk
  uint64_t chunk_words() const {
    return LoopNest::next_part(k_ - chunk_at_, chunk_, LoopNest::kWordUnit);
  }
  uint64_t slab_words() const {
    return LoopNest::next_part(chunk_words() - slab_at_, slab_, LoopNest::kWordUnit);
  }
  bool first_k() const { return chunk_at_ == 0 && slab_at_ == 0; }
  bool last_k() const { return last_chunk() && last_slab(); }
  /// The A chunk is not used after this step. A single chunk of K stays for all groups.
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
  uint64_t group_columns() const {
    return uint64_t{params_.num_pe} *
           LoopNest::group_tiles(params_.num_pe, params_.acc_tiles, n_ - group_at_, levels_.wide);
  }
  bool last_slab() const { return !levels_.slabs || slab_at_ + slab_words() == chunk_words(); }
  bool last_tile() const {
    return !levels_.tiles || tile_at_ + tile_cols_ >= group_columns() ||
           column() + tile_cols_ >= n_;
  }
  bool last_chunk() const { return !levels_.chunks || chunk_at_ + chunk_words() == k_; }
  bool last_group() const {
    return !levels_.groups || group_at_ + LoopNest::group_columns(params_) >= n_;
  }

  Params params_;
  uint64_t batch_ = 0, m_ = 0, n_ = 0, k_ = 0;
  uint64_t tile_cols_ = 1, chunk_ = 1, slab_ = 1;
  Levels levels_;
  uint64_t product_ = 0;
  uint64_t stripe_at_ = 0, group_at_ = 0, tile_at_ = 0, chunk_at_ = 0, slab_at_ = 0;
  bool valid_ = false;
};

}  // namespace mxe::blame
