// Policy `block` with vector kernels: the same bits as gemm_block_into, faster.
#pragma once

#include "numerics/gemm_kernels.h"
#include "numerics/tensor.h"

namespace mx {

// Operands packed once, multiplied in ranges of rows (multiples of kTileRows but for the last).
class FastGemm {
 public:
  FastGemm(const MxTensor& a, const MxTensor& b, const GemmKernels& kernels, bool dual);

  void run(const float* bias, size_t first_row, size_t last_row, float* out) const;

 private:
  void tile(const float* bias, size_t row, size_t rows, size_t group, float* out) const;
  void slow_blocks(size_t row, size_t rows, size_t group, size_t block, float* acc) const;

  const MxTensor& a_;
  const MxTensor& b_;
  size_t lanes_;
  size_t chains_;
  PackedA packed_a_;
  PackedB packed_b_;
  GemmKernel kernel_;
};

}  // namespace mx
