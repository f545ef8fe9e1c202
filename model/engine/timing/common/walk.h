// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/engine/skipping/state.h"
#include "model/params/nest.h"
#include "model/params/params.h"

namespace mxe::engine {

/// The loop nest of a job, one step at a time (mxe_walk). From the outside in:
///   batch   a product of the job
///   stripe  ROWS rows of D
///   group   ACC_TILES column tiles that share one A chunk
///   chunk   A_SLAB_K / 32 operand words of K, up to eight times as many: LoopNest::chunk_words()
///   tile    NUM_PE columns of D
///   slab    B_BUF_K / 32 operand words of K
/// Sizes: model/params/nest.h. Every block that follows the nest has a Walk over the levels that it
/// needs. A wide tile is two tiles with slabs half as long; a long slab is twice as long.
class Walk {
 public:
  struct Levels {
    bool chunk = true, tile = true, slab = true;
    bool wide = false, long_slab = false;
  };
  enum class Next : uint8_t { slab, tile, chunk, group, stripe, batch, end };

  Walk() = default;
  /// `batch` products of `m` rows, `n` columns and `k_words` operand words of K. `skip_group`:
  /// omits groups that reuse the loaded chunk.
  Walk(const Params& params, const Levels& levels, uint32_t batch, uint32_t m, uint32_t n,
       uint32_t k_words, bool skip_group = false)
      : rows_(params.rows),
        num_pe_(params.num_pe),
        group_cols_(LoopNest::group_columns(params)),
        chunk_words_(LoopNest::chunk_words(params, m)),
        tile_cols_(LoopNest::tile_columns(params, levels.wide)),
        slab_words_(LoopNest::slab_words(params, levels.wide, levels.long_slab)),
        levels_(levels),
        skip_group_(skip_group),
        m_(m),
        n_(n),
        k_words_(k_words),
        products_left_(batch),
        rows_left_(m) {
    enter_group(n);
    valid_ = true;
  }

  bool valid() const { return valid_; }
  unsigned rows() const { return part(rows_left_, rows_, 1); }
  unsigned cols() const { return std::min(cols_left_, tile_cols_); }
  unsigned stripe_number() const { return stripe_number_; }
  unsigned group_number() const { return group_number_; }
  /// Index of the column tile in the group; of the first one if wide.
  unsigned tile() const { return tile_; }
  /// Operand words of the innermost level of K in `levels`.
  unsigned words() const {
    return levels_.slab ? part(slab_left_, slab_words_, LoopNest::kWordUnit) : chunk_words();
  }
  unsigned chunk_words() const { return part(words_left_, chunk_words_, LoopNest::kWordUnit); }
  /// Operand words of a whole chunk.
  unsigned most_chunk_words() const { return chunk_words_; }
  bool first_k() const {
    return !levels_.chunk ||
           (words_left_ == k_words_ && (!levels_.slab || slab_left_ == chunk_words()));
  }
  bool last_k() const { return last_chunk() && last_slab(); }
  unsigned slab_words() const { return slab_words_; }
  /// True in the last step that needs this A chunk. With one chunk only, A stays for all groups.
  bool last_use() const {
    return last_slab() && last_tile() && (k_words_ > chunk_words_ || last_group());
  }
  /// True in the last tile of the stripe.
  bool ends_columns() const { return last_tile() && last_group(); }
  /// The level that step() will advance.
  Next next() const {
    if (!last_slab()) return Next::slab;
    if (!last_tile()) return Next::tile;
    if (!last_chunk()) return Next::chunk;
    if (!last_group()) return Next::group;
    if (!last_stripe()) return Next::stripe;
    return products_left_ == 1 ? Next::end : Next::batch;
  }

  /// True if this walk moves through `loop`; otherwise it stays in place while others move.
  bool follows(Loop loop) const {
    switch (loop) {
      case Loop::tile:
        return levels_.tile;
      case Loop::chunk:
        return levels_.chunk && k_words_ > chunk_words_;
      case Loop::group:
        return !skip_group_;
      case Loop::stripe:
        break;
    }
    return true;
  }

  void visit(StateVisitor& visitor) {
    const Loop loop = visitor.loop();
    const bool moving = valid_ && follows(loop);
    if (visitor.moves()) {
      if (moving) advance(loop, visitor.iterations());
      return;
    }
    visitor.value(valid_);
    if (!valid_) return;
    // All state except the position in the loop.
    if (!moving || loop != Loop::stripe) visitor.value(rows_left_);
    if (moving && loop == Loop::tile) {
      visitor.value(words_left_);
    } else {
      visitor.value(tile_);
      if (!moving || loop != Loop::group) visitor.value(group_left_);
      // The first chunk differs from the others.
      visitor.value(moving && loop == Loop::chunk ? words_left_ == k_words_ : words_left_);
    }
    visitor.value(slab_left_);
    if (moving) visitor.place(iteration(loop), room(loop));
  }

  void advance(Loop loop, uint64_t count) {
    const auto steps = static_cast<uint32_t>(count);
    switch (loop) {
      case Loop::tile: {
        const uint32_t tile = (n_ - cols_left_) / num_pe_ + steps, tiles = group_cols_ / num_pe_;
        const uint32_t group = tile / tiles;
        group_number_ += group - (n_ - group_left_) / group_cols_;
        group_left_ = n_ - group * group_cols_;
        tile_ = tile % tiles;
        cols_left_ = n_ - tile * num_pe_;
        break;
      }
      case Loop::chunk:
        words_left_ -= steps * chunk_words_;
        break;
      case Loop::group:
        group_number_ += steps;
        group_left_ -= steps * group_cols_;
        cols_left_ -= steps * group_cols_;
        break;
      case Loop::stripe:
        stripe_number_ += steps;
        group_number_ += steps * ((n_ - 1) / group_cols_ + 1);
        rows_left_ -= steps * rows_;
        break;
    }
  }
  /// First row of the tile, in the stacked products, and its first column.
  uint64_t row() const { return uint64_t{products_} * m_ + (m_ - rows_left_); }
  uint32_t column() const { return n_ - cols_left_; }
  uint32_t group_column() const { return n_ - group_left_; }

  void step() {
    switch (next()) {
      case Next::slab:
        slab_left_ -= words();
        break;
      case Next::tile:
        tile_ += tile_cols_ / num_pe_;
        cols_left_ -= tile_cols_;
        slab_left_ = chunk_words();
        break;
      case Next::chunk:
        words_left_ -= chunk_words();
        enter_chunk();
        break;
      case Next::group:
        group_number_++;
        enter_group(group_left_ - tiles() * num_pe_);
        break;
      case Next::stripe:
        stripe_number_++;
        group_number_++;
        rows_left_ -= rows();
        enter_group(n_);
        break;
      case Next::batch:
        stripe_number_++;
        group_number_++;
        products_++;
        products_left_--;
        rows_left_ = m_;
        enter_group(n_);
        break;
      case Next::end:
        valid_ = false;
        break;
    }
  }

 private:
  void enter_group(uint32_t columns_left) {
    group_left_ = columns_left;
    words_left_ = k_words_;
    enter_chunk();
  }
  void enter_chunk() {
    tile_ = 0;
    cols_left_ = group_left_;
    slab_left_ = chunk_words();
  }
  /// Index of the current iteration of `loop`; a wide tile counts as two.
  uint64_t iteration(Loop loop) const {
    switch (loop) {
      case Loop::tile:
        return (n_ - cols_left_) / num_pe_;
      case Loop::chunk:
        return (k_words_ - words_left_) / chunk_words_;
      case Loop::group:
        return (n_ - group_left_) / group_cols_;
      case Loop::stripe:
        break;
    }
    return stripe_number_;
  }
  /// Iterations by which the walk can advance and still be in one like this. 5 stripes of 32 rows,
  /// the second is current: 3. 140 rows (3 stripes of 32, 2 of 22), the second is current: 1. The
  /// first and last chunk of K start and end the sums, so they differ.
  uint64_t room(Loop loop) const {
    const auto without = [](uint64_t different, uint64_t iterations) {
      return iterations < different ? 0 : iterations - different;
    };
    // If `remaining` is no multiple of `most`, the last two parts are shorter.
    const auto until_halves = [&](uint32_t remaining, uint32_t most) {
      return without(remaining % most == 0 ? 1 : 2, remaining / most);
    };
    switch (loop) {
      case Loop::tile: {
        const uint64_t groups = without(n_ % group_cols_ == 0 ? 0 : 1, n_ / group_cols_);
        return without((n_ - cols_left_ + tile_cols_) / num_pe_, groups * (group_cols_ / num_pe_));
      }
      case Loop::chunk:
        return words_left_ == k_words_ ? 0 : without(2, words_left_ / chunk_words_);
      case Loop::group:
        return until_halves(group_left_, group_cols_);
      case Loop::stripe:
        break;
    }
    return until_halves(rows_left_, rows_);
  }
  static uint32_t part(uint32_t left, uint32_t most, uint32_t unit) {
    return static_cast<uint32_t>(LoopNest::next_part(left, most, unit));
  }
  uint32_t tiles() const {
    return LoopNest::group_tiles(num_pe_, group_cols_ / num_pe_, group_left_, levels_.wide);
  }

  bool last_slab() const { return !levels_.slab || slab_left_ <= slab_words_; }
  bool last_tile() const {
    return !levels_.tile || cols_left_ <= tile_cols_ ||
           tile_ * num_pe_ + tile_cols_ == tiles() * num_pe_;
  }
  bool last_chunk() const { return !levels_.chunk || words_left_ <= chunk_words_; }
  bool last_group() const { return skip_group_ || group_left_ <= group_cols_; }
  bool last_stripe() const { return rows_left_ <= rows_; }

  uint32_t rows_ = 0, num_pe_ = 0, group_cols_ = 0, chunk_words_ = 0;
  uint32_t tile_cols_ = 0, slab_words_ = 0;
  Levels levels_;
  bool skip_group_ = false, valid_ = false;
  uint32_t m_ = 0, n_ = 0, k_words_ = 0;
  uint32_t products_ = 0, products_left_ = 0;  // before this one; from this one on
  uint32_t rows_left_ = 0;                     // of the product, from this stripe on
  uint32_t group_left_ = 0;                    // columns, from this group on
  uint32_t cols_left_ = 0;                     // columns, from this tile on
  uint32_t words_left_ = 0;                    // of K, from this chunk on
  uint32_t slab_left_ = 0;                     // of the chunk, from this slab on
  uint32_t tile_ = 0;
  unsigned stripe_number_ = 0, group_number_ = 0;
};

}  // namespace mxe::engine
