// SPDX-License-Identifier: Apache-2.0
// Operands of the fast golden GEMM, laid out for its kernels (gemm_kernels.h).
//
// Elements are integers times 2^lsb (format.h). What a kernel multiplies are small integers:
//
// * bytes, for formats whose integers fit. A gets an offset that makes it unsigned; what that adds
//   to the sums is taken away again through `correction`.
// * words of 16 bits. A block of larger integers (E4M3, E5M2) is divided by a power of two such
//   that the squares of its words sum up to less than 2^31; by Cauchy-Schwarz, sums of products of
//   two such blocks fit 32 bits. Few elements lose bits in this. What they lose, a fraction of the
//   word's unit, stands in a list of remainders, which is multiplied apart.
//
// Blocks whose remainders are too long, and those with NaN or Inf in them, are marked scalar and
// left to block_dot.
//
// A scale is kept as the bits of a power of two; adding those of A and B gives the bits of the
// product of their scales and both lsb.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/numerics/aligned_vector.h"
#include "model/numerics/simd.h"
#include "model/numerics/tensor.h"

namespace mx {

enum class GemmPath : uint8_t {
  bytes,         ///< float32 accumulation, sums of at most 24 bits
  words,         ///< the same from 16-bit integers
  words_double,  ///< float64 inside, sums of at most 48 bits; what is longer is scalar
};

/// The path of a pair of formats. Kernels that add products of bytes in 16 bits multiply pairs
/// whose products overflow there (two mxint8) as words.
GemmPath gemm_path(FormatId a, FormatId b, bool adds_bytes_in_words);

/// What a tile of the product covers; operands are padded to it.
constexpr std::size_t kLowTile = 4;     ///< rows
constexpr std::size_t kHighTile = 6;    ///< rows
constexpr std::size_t kTileGroups = 2;  ///< of columns, a vector each

/// Rows of the tiles of an A of `rows` rows. High tiles take a fifth less time for a row, and they
/// leave no registers to kernels that accumulate in float64.
std::size_t tile_rows(GemmPath path, std::size_t rows);

/// What an element of a tile has beyond its word.
struct Remainder {
  uint32_t block;
  uint8_t k;    ///< in the block
  uint8_t row;  ///< in the tile
  float value;  ///< in units of the block's words
};

/// One operand in tiles of rows; what pads the last tile is not part of any result. What a kernel
/// reads one after the other lies so, in units of four bytes: its way through a tile is one stream.
/// Blocks of a scalar row are 0, so that a kernel may run over them without adding anything.
struct PackedOperand {
  GemmPath path;
  std::size_t rows = 0;  ///< a tile
  std::size_t tiles = 0;
  std::size_t blocks = 0;        ///< a row
  AlignedVector<uint8_t> bytes;  ///< [tiles][blocks][8][rows][4]; those of B are signed
  AlignedVector<int16_t> words;  ///< [tiles][blocks][16][rows][2]
  /// B: -offset * sum, of whole blocks [tiles][blocks][rows] or, for kernels that add in 16 bits,
  /// of what they add there, modulo 2^16 [tiles][blocks][8 / byte_sums][rows][2 x 16 bits].
  AlignedVector<int32_t> correction;
  /// [tiles][blocks]: whether all sums that a kernel adds in 16 bits fit there in a product with
  /// any such block, though byte_sums is less than 8; empty where that is not asked for.
  std::vector<uint8_t> fits;
  /// [tiles][blocks][rows]: bits of 2^(scale - 127), with the words' power of two, as float32 or,
  /// for words_double, float64; of B what they, with both lsb, add to those of A.
  AlignedVector<int32_t> scales;
  AlignedVector<int64_t> wide_scales;
  std::vector<std::vector<Remainder>> remainders;  ///< [tiles], in the order of blocks
  std::vector<uint32_t> first_remainder;           ///< [tiles][blocks + 1]: in the tile's list
  std::vector<uint32_t> scalar_rows;               ///< [tiles][blocks]: a bit for every scalar row
  std::vector<uint8_t> tile_has_scalar;            ///< [tiles]: some row of some block is
};

/// For whom operands are packed, and by what.
struct PackOptions {
  std::size_t columns;       ///< a tile of the kernels that will run: 16 or 32
  bool adds_bytes_in_words;  ///< as these kernels do (gemm_path)
  SimdLevel level;           ///< packs; what is packed does not depend on it
  unsigned threads;          ///< the same
};

/// Packs A for a product with a B of `format_b`.
PackedOperand pack_a(const MxTensor& a, FormatId format_b, const PackOptions& options);
/// Packs B for a product with an A of `format_a`.
PackedOperand pack_b(const MxTensor& b, FormatId format_a, const PackOptions& options);

/// How many sums of two products of a byte pair fit 16 bits: 8 (all of a block's), 4, 2 or 1. What
/// A's offset adds may overflow there, for its correction does so too.
int byte_sums(FormatId a, FormatId b);

}  // namespace mx
