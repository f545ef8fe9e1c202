// SPDX-License-Identifier: Apache-2.0
// Accumulate::block with vector kernels; equals gemm_definition_into bit for bit.
#pragma once

#include <memory>
#include <vector>

#include "model/numerics/gemm/gemm_pack.h"
#include "model/numerics/gemm/pair_rule.h"
#include "model/numerics/gemm/prepared_operand.h"
#include "model/numerics/kernels/gemm_kernels.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {

/// True if FastGemm multiplies the pair: blocks of 32 with E8M0 scales, or NVFP4 twice.
bool has_fast_gemm(const ScaledFormat& a, const ScaledFormat& b);

/// True if gemm() has kernels for the sums of a pair with Accumulate::block, perhaps of operands
/// with_blocks_of_32(). The sums of other pairs are scalar steps (gemm_definition.h).
bool has_fast_sums(const ScaledFormat& a, const ScaledFormat& b);

/// Packs the operands once, then multiplies ranges of rows that start at multiples of tile_rows().
class FastGemm {
 public:
  /// `level` and `threads` apply to the packing only.
  FastGemm(const MxTensor& a, const PreparedOperand& b, const GemmKernels& kernels, SimdLevel level,
           bool dual, unsigned threads);

  std::size_t tile_rows() const { return packed_a_.rows; }

  /// Computes rows first_row .. last_row - 1 of out [M][N]; bias is [M][N] or null.
  void run(const float* bias, std::size_t first_row, std::size_t last_row, float* out) const;

 private:
  struct Strip {
    std::size_t first_row, last_row;
    std::size_t column_tile;
    AlignedVector<float> acc;  ///< [tiles of rows][chains][tile_rows()][columns]
  };

  void load_bias(const float* bias, Strip& strip) const;
  void multiply(std::size_t first_block, std::size_t last_block, Strip& strip) const;
  void store(const Strip& strip, float* out) const;
  void multiply_with_scalar_blocks(const TileBlocks& tile, std::size_t last_row,
                                   float* chains) const;
  void add_scalar_blocks(const TileBlocks& tile, std::size_t last_row, float* acc) const;
  std::size_t used_columns(std::size_t column_tile) const;

  const MxTensor& a_;
  const MxTensor& b_;
  PairRule rule_;
  std::size_t step_blocks_;  // as in PackOptions
  std::size_t columns_;      // per tile
  std::size_t chains_;
  PackedOperand packed_a_;
  std::size_t tile_size_;  // accumulators per tile, all chains
  std::shared_ptr<const PackedOperand> packed_b_;
  GemmKernel kernel_;
};

}  // namespace mxe::numerics
