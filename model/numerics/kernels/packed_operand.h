// SPDX-License-Identifier: Apache-2.0
// Operands packed for the kernels of the fast golden GEMM (gemm_kernels.h). Elements are integers
// times 2^lsb (format.h). Kernels multiply small integers:
//
// * bytes, for formats whose integers fit. A gets an offset that makes it unsigned; `correction`
//   removes the offset's contribution from the sums.
// * words of 16 bits. A block of larger integers (E4M3, E5M2) is divided by a power of two until
//   the squares of its words sum to less than 2^31. By Cauchy-Schwarz, the sum of products of two
//   such blocks then fits 32 bits. The few bits lost by the division are stored as remainders,
//   which are multiplied separately.
// * scaled bytes, for NVFP4 twice: bytes whose sums of 16 are multiplied by both scales, numbers of
//   four bits times a power of two. The sum of a step's products is exact in float32 or, if
//   `spread` allows more bits than 24, in float64.
//
// Blocks with NaN, infinity, too long remainders or scales beyond those of the kernels are marked
// scalar; definition_step() computes them. Scales are float bits: the integer sum of those of A and
// B gives the product of scales and lsb.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/numerics/base/aligned_vector.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

enum class GemmPath : uint8_t {
  bytes,         ///< float32 accumulation, sums of at most 24 bits
  words,         ///< float32 accumulation from 16-bit integers
  words_double,  ///< float64 intermediate results; remainders of at most 8 bits
  scaled_bytes,  ///< NVFP4 twice: steps of one or two blocks, each block with two scales a row
};
/// Kernels that add products of bytes in 32 bits start a sum of scaled_bytes at the bits of this
/// float32. The result is then the float32 number 1.5 * 2^23 plus the sum, without a conversion.
constexpr float kSumOffset = 12582912.0f;

constexpr std::size_t kScaledSize = 16;  ///< elements of a scale of scaled_bytes

// Size of a tile of the product. Operands are padded to whole tiles.
constexpr std::size_t kLowTile = 4;     ///< rows
constexpr std::size_t kHighTile = 6;    ///< rows
constexpr std::size_t kTileGroups = 2;  ///< groups of columns, one vector each

/// The part of an element that its word cannot hold.
struct Remainder {
  uint32_t block;
  uint8_t k;    ///< in the block
  uint8_t row;  ///< in the tile
  float value;  ///< in units of the block's words
};

/// One operand in tiles of rows, read sequentially in units of four bytes. Elements
/// of a block marked scalar are 0, so that the kernels add nothing for it.
struct PackedOperand {
  GemmPath path;
  std::size_t rows = 0;  ///< per tile
  std::size_t tiles = 0;
  std::size_t blocks = 0;        ///< per row; whole steps of scaled_bytes
  std::size_t step_blocks = 1;   ///< of scaled_bytes: 2 with FP4_DUAL
  AlignedVector<uint8_t> bytes;  ///< [tiles][blocks][8][rows][4]; those of B are signed
  AlignedVector<int16_t> words;  ///< [tiles][blocks][16][rows][2]
  /// Only B: -offset of A * sum of elements, [tiles][blocks][rows] for whole blocks. Kernels that
  /// add in 16 bits need it per 16-bit sum, modulo 2^16: [tiles][blocks][8 / byte_sums][rows][2].
  AlignedVector<int32_t> correction;
  /// [tiles][blocks]: 1 if a product with another block marked 1 fits 16-bit sums over the whole
  /// block. Only filled for kernels that add in 16 bits, if byte_sums is less than 8.
  std::vector<uint8_t> fits;
  /// [tiles][blocks][rows]. A: bits of 2^(scale - 127) times the words' power of two, as float32
  /// (words_double: float64 in wide_scales). B: scale, power of two, both lsb as an exponent.
  AlignedVector<int32_t> scales;
  AlignedVector<int64_t> wide_scales;
  /// Only scaled_bytes: scales [tiles][2 * blocks][rows], those of B times both lsb; 0 beyond K and
  /// in scalar steps. `correction` then has one row of numbers per scale.
  AlignedVector<float> factors;
  /// Only A of scaled_bytes, as `factors`. Kernels that add in 32 bits: float32 bits of -kSumOffset
  /// times the scale. Kernels that add in 16 bits: the scale as a multiple of the step's unit,
  /// twice, in both halves.
  AlignedVector<int32_t> row_factors;
  /// Only A for kernels that add in 16 bits: [tiles][blocks][rows], the unit of a row's step.
  AlignedVector<float> units;
  /// Only scaled_bytes, [tiles][blocks], at the first block of a step: the sum of a row's squared
  /// values in units of the last bit of its scales, of the row where it is largest. By
  /// Cauchy-Schwarz, the product of both operands' limits the square of every partial sum of a
  /// step, in units of the last bit of the products.
  std::vector<float> spread;
  std::vector<std::vector<Remainder>> remainders;  ///< [tiles], in the order of blocks
  std::vector<uint32_t> first_remainder;           ///< [tiles][blocks + 1]: index in `remainders`
  std::vector<uint32_t> scalar_rows;               ///< [tiles][blocks]: bit per row
  std::vector<uint8_t> tile_has_scalar;            ///< [tiles]
};

}  // namespace mxe::numerics
