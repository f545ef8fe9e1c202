// Inner loops of the fast golden GEMM, one set for each vector level.
#pragma once

#include <cstddef>

#include "numerics/gemm_pack.h"

namespace mx {

// Adds one 32-element block of K to a tile of kTileRows rows of A by kTileGroups groups of B
// columns. `row` and `group` are the tile's first, acc is [kTileRows][kTileGroups * lanes] float32.
using GemmKernel = void (*)(const PackedA& a, const PackedB& b, size_t row, size_t group,
                            size_t block, float* acc);

struct GemmKernels {
  size_t lanes = 0;             // columns a group; 0: the level has no kernels
  GemmKernel bytes8 = nullptr;  // for byte_sums of 8, 4, 2, 1
  GemmKernel bytes4 = nullptr;
  GemmKernel bytes2 = nullptr;
  GemmKernel bytes1 = nullptr;
  GemmKernel words = nullptr;
  GemmKernel words_double = nullptr;
};

GemmKernels gemm_kernels_avx2();
GemmKernels gemm_kernels_avx512();

}  // namespace mx
