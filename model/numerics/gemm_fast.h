// Policy `block` with vector kernels: the same bits as gemm_block_into, faster.
#pragma once

#include <vector>

#include "numerics/gemm_kernels.h"
#include "numerics/tensor.h"

namespace mx {

// Operands packed once, multiplied in ranges of rows (multiples of kTileRows but for the last).
class FastGemm {
 public:
  /// `level` and `threads` are of the packing alone; the kernels may be of another level.
  FastGemm(const MxTensor& a, const MxTensor& b, const GemmKernels& kernels, SimdLevel level,
           bool dual, unsigned threads);

  // Rows first_row .. last_row - 1 of the result into out [M][N]; bias [M][N] or null.
  void run(const float* bias, size_t first_row, size_t last_row, float* out) const;

 private:
  // Some rows by one tile's columns.
  struct Strip {
    size_t first_row, last_row;
    size_t group;
    std::vector<float> acc;  // [tiles of rows][chains][kTileRows][columns]
  };

  void load_bias(const float* bias, Strip* strip) const;
  void multiply(size_t first_block, size_t last_block, Strip* strip) const;
  void store(const Strip& strip, float* out) const;
  void careful_blocks(size_t row, size_t rows, size_t group, size_t first, size_t last,
                      float* chains) const;
  bool has_slow_blocks(size_t row, size_t group) const;
  void slow_blocks(size_t row, size_t rows, size_t group, size_t block, float* acc) const;
  size_t used_columns(size_t group) const;

  const MxTensor& a_;
  const MxTensor& b_;
  size_t lanes_;
  size_t columns_;  // of a tile
  size_t chains_;
  size_t tile_size_;  // accumulators of a tile, all chains
  PackedA packed_a_;
  PackedB packed_b_;
  GemmKernel kernel_;
};

}  // namespace mx
