// SPDX-License-Identifier: Apache-2.0
// Operands of the fast golden GEMM, laid out for its kernels (gemm_kernels.h).
//
// Elements are integers times 2^lsb (format.h). What a kernel multiplies are small integers:
//
// * bytes, for formats whose integers fit. A gets an offset that makes it unsigned; what that adds
//   to the sums is taken away again through `correction`.
// * words of 16 bits. An A block of a format with larger integers (E4M3, E5M2) is divided by its
//   common power of two, which nearly always leaves 15 bits; B elements of these formats are
//   distributed over parts, windows of eight binades each, so that the sums of 32 products fit 32
//   bits.
//
// Blocks that fit neither way, and those with NaN or Inf in them, are marked `scalar` and left to
// block_dot.
//
// A scale is kept as the bits of a power of two; adding those of A and B gives the bits of the
// product of their scales and both lsb.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/numerics/simd.h"
#include "model/numerics/tensor.h"

namespace mx {

enum class GemmPath : uint8_t {
  bytes,         ///< float32 accumulation, sums of at most 24 bits
  words,         ///< the same from 16-bit integers
  words_double,  ///< float64 inside, sums of at most 53 bits
};

/// The path of a pair of formats. Kernels that add products of bytes in 16 bits multiply pairs
/// whose products overflow there (two mxint8) as words.
GemmPath gemm_path(FormatId a, FormatId b, bool adds_bytes_in_words);

constexpr int kPartShift = 8;  ///< binades a part

/// Parts that elements of this format take as B, from the binades that it has: 2 for E4M3, 4 for
/// E5M2, else 1.
std::size_t part_count(FormatId format);

/// Rows are padded to whole tiles. The elements of a scalar block are 0, so that a kernel may run
/// over it without adding anything.
struct PackedA {
  GemmPath path;
  std::size_t blocks = 0;        ///< a row
  std::vector<uint8_t> bytes;    ///< [rows][blocks][32]
  std::vector<int16_t> words;    ///< [rows][blocks][32]
  std::vector<int16_t> residue;  ///< the same shape: the low bits of E4M3 blocks wider than 15 bits
  /// [rows][blocks]: bits of 2^(scale - 127), with the common power of two, as float32 or, for
  /// words_double, float64.
  std::vector<int32_t> scales;
  std::vector<int64_t> wide_scales;
  std::vector<uint8_t> flags;           ///< [rows][blocks]: kScalar, kWide
  std::vector<uint8_t> row_has_scalar;  ///< [rows]: some block is
  /// Exponent of `residue` below `words` in wide blocks.
  static constexpr int kResidueShift = 3;
};
constexpr uint8_t kScalar = 1;
constexpr uint8_t kWide = 2;

/// Scalar lanes are 0 in every element, as are the columns that pad the last groups.
struct PackedB {
  GemmPath path;
  std::size_t lanes = 0;   ///< columns a group
  std::size_t groups = 0;  ///< of `lanes` columns, padded
  std::size_t blocks = 0;
  std::size_t parts = 1;
  std::vector<int8_t> bytes;        ///< [groups][blocks][8][lanes][4]
  std::vector<int16_t> words;       ///< [groups][blocks][parts][16][lanes][2]
  std::vector<uint8_t> used_parts;  ///< [groups][blocks]: a bit for every part that is not all 0
  std::vector<int32_t> correction;  ///< [groups][blocks][lanes]: -offset * sum of the block
  /// [groups][blocks][lanes]: what 2^(scale - 127) with both lsb adds to the bits of A's scale.
  std::vector<int32_t> scales;
  std::vector<int64_t> wide_scales;
  std::vector<uint32_t> scalar_lanes;     ///< [groups][blocks]: a bit for every scalar lane
  std::vector<uint8_t> group_has_scalar;  ///< [groups]: some lane of some block is
};

/// What a tile covers; operands are padded to it.
constexpr std::size_t kTileRows = 4;
constexpr std::size_t kTileGroups = 2;

/// For whom operands are packed, and by what.
struct PackOptions {
  std::size_t lanes;         ///< columns a group of the kernels that will run
  bool adds_bytes_in_words;  ///< as these kernels do (gemm_path)
  SimdLevel level;           ///< packs; what is packed does not depend on it
  unsigned threads;          ///< the same
};

/// Packs A for a product with a B of `format_b`.
PackedA pack_a(const MxTensor& a, FormatId format_b, const PackOptions& options);
/// Packs B for a product with an A of `format_a`.
PackedB pack_b(const MxTensor& b, FormatId format_a, const PackOptions& options);

/// How many products of a byte pair can be summed in 16 bits before they must be widened: 8 (all of
/// a lane's pairs), 4, 2 or 1; 1 also for pairs of which not even one fits.
int byte_sums(FormatId a, FormatId b);

}  // namespace mx
