// SPDX-License-Identifier: Apache-2.0
// Inner loops of the fast golden GEMM, one set per vector level.
#pragma once

#include <cstddef>

#include "model/numerics/kernels/packed_operand.h"

namespace mxe::numerics {

/// Blocks `first` to `last` - 1 of K of the tiles `a` and `b`, which alternate between the chains
/// (two only with GemmPath::bytes). The kernel adds to acc [chains][rows][kTileGroups * lanes]
/// float32.
struct TileBlocks {
  std::size_t a, b;
  std::size_t first, last;
  std::size_t chains;
};
using GemmKernel = void (*)(const PackedOperand& a, const PackedOperand& b, const TileBlocks& tile,
                            float* acc);

struct RowKernels {
  GemmKernel bytes8 = nullptr;  ///< bytesN: byte_sums() is N
  GemmKernel bytes4 = nullptr;
  GemmKernel bytes2 = nullptr;
  GemmKernel bytes1 = nullptr;
  GemmKernel words = nullptr;
  GemmKernel scaled_bytes = nullptr;
};

struct GemmKernels {
  std::size_t lanes = 0;             ///< columns per group; 0: the level has no kernels
  bool adds_bytes_in_words = false;  ///< products of bytes are summed in 16 bits before 32
  RowKernels low;
  RowKernels high;
  GemmKernel words_double = nullptr;  ///< for kLowTile rows
};

inline std::size_t tile_columns(const GemmKernels& kernels) { return kTileGroups * kernels.lanes; }

GemmKernels gemm_kernels_avx2();
GemmKernels gemm_kernels_avx512();
/// The AVX-512 kernels with emulated intrinsics, which run on any processor; only in tests.
GemmKernels gemm_kernels_avx512_emulated();

}  // namespace mxe::numerics
