// SPDX-License-Identifier: Apache-2.0
// Inner loops of gemm_pack.cpp, one set per vector level. Every level gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/numerics/base/simd.h"

namespace mxe::numerics {

struct TileRows {
  const void* first;
  std::size_t distance;  ///< bytes from one row to the next
  std::size_t blocks;
  std::size_t units;  ///< of four bytes per block: 8 or 16
};

/// Computation of PackedOperand::correction for a tile of B.
struct CorrectionRule {
  int factor;         ///< multiplies the sum of bytes
  std::size_t units;  ///< units per correction: 8, 4, 2 or 1
  bool in_words;      ///< two sums modulo 2^16: of bytes 0 and 1, and of bytes 2 and 3
};

/// Conversion of a block's integers to words: integer / 2^shift, rounded toward zero.
struct Shortened {
  int shift;
  bool lost;  ///< a nonzero bit was dropped
};

struct PackKernels {
  /// To [blocks][units][4 or 6 rows], with `offset` added to every byte.
  void (*interleave4)(const TileRows& rows, uint8_t offset, uint8_t* to);
  void (*interleave6)(const TileRows& rows, uint8_t offset, uint8_t* to);
  /// To [blocks][units][16 or 32 rows].
  void (*interleave16)(const TileRows& rows, uint8_t* to);
  void (*interleave32)(const TileRows& rows, uint8_t* to);
  /// From bytes [corrections * rule.units][rows][4] to [corrections][rows]; `rows` % 8 == 0.
  void (*correct)(const uint8_t* bytes, std::size_t rows, std::size_t corrections,
                  const CorrectionRule& rule, int32_t* to);
  /// Clears fits[block] if a 16-bit lane's sum of squares may exceed 8 * `limit`. A lane consists
  /// of bytes 0 and 1, or bytes 2 and 3, of every unit of a block. `bytes` is [blocks][32].
  void (*check_lanes)(const int8_t* bytes, std::size_t blocks, uint32_t limit, uint8_t* fits);
  /// Sums of squares of bytes of at most 12, 16 at a time: [2 * pairs].
  void (*squares)(const int8_t* bytes, std::size_t pairs, uint16_t* sums);
  /// Converts a block's integers, at most 2^32 each, to words whose squares sum to less than 2^31.
  Shortened (*shorten)(const float* integers, int16_t* words);
};

const PackKernels& pack_kernels(SimdLevel level);

const PackKernels& pack_kernels_portable();
const PackKernels& pack_kernels_avx2();

}  // namespace mxe::numerics
