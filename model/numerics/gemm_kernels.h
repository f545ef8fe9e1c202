// SPDX-License-Identifier: Apache-2.0
// Inner loops of the fast golden GEMM, one set for each vector level.
#pragma once

#include <cstddef>

#include "model/numerics/gemm_pack.h"

namespace mx {

/// Adds the 32-element blocks of K from `first` to before `last` to a tile of rows of A by
/// kTileGroups groups of B columns, in turn to each of its chains. `a` and `b` number the
/// operands' tiles, acc is [chains][rows][kTileGroups * lanes] float32. Only bytes have two
/// chains.
struct TileBlocks {
  std::size_t a, b;
  std::size_t first, last;
  std::size_t chains;
};
using GemmKernel = void (*)(const PackedOperand& a, const PackedOperand& b, const TileBlocks& tile,
                            float* acc);

/// Those of one height of tiles.
struct RowKernels {
  GemmKernel bytes8 = nullptr;  ///< for byte_sums of 8, 4, 2, 1
  GemmKernel bytes4 = nullptr;
  GemmKernel bytes2 = nullptr;
  GemmKernel bytes1 = nullptr;
  GemmKernel words = nullptr;
};

struct GemmKernels {
  std::size_t lanes = 0;              ///< columns a group; 0: the level has no kernels
  bool adds_bytes_in_words = false;   ///< products of bytes are summed in 16 bits before 32
  RowKernels low;                     ///< for kLowTile rows
  RowKernels high;                    ///< for kHighTile rows
  GemmKernel words_double = nullptr;  ///< for kLowTile rows
};

/// Columns of a tile.
inline std::size_t tile_columns(const GemmKernels& kernels) { return kTileGroups * kernels.lanes; }

GemmKernels gemm_kernels_avx2();
GemmKernels gemm_kernels_avx512();
/// The AVX-512 kernels built with emulated intrinsics, which any processor runs; the tests have it.
GemmKernels gemm_kernels_avx512_emulated();

}  // namespace mx
