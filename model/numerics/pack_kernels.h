// SPDX-License-Identifier: Apache-2.0
// Inner loops of the packing of operands (gemm_pack.h), one set for each vector level. Every level
// gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/numerics/simd.h"

namespace mx {

/// Rows that become a part of a tile.
struct TileRows {
  const void* first;
  std::size_t distance;  ///< bytes from one row to the next
  std::size_t blocks;    ///< of K
  std::size_t units;     ///< of four bytes, a block: 8 or 16
};

/// What corrects the sums of a tile of B (PackedOperand::correction).
struct CorrectionRule {
  int factor;         ///< of the sums of bytes
  std::size_t units;  ///< that one correction sums up; 8 or a part of it
  bool in_words;      ///< modulo 2^16, of bytes 0 and 1 apart from bytes 2 and 3
};

/// A block's integers as words.
struct Shortened {
  int shift;  ///< the words are the integers divided by 2^shift, rounded toward zero,
  bool lost;  ///< which some bit is lost in
};

struct PackKernels {
  /// To [blocks][units][4 or 6 rows], with `offset` added to every byte.
  void (*interleave4)(const TileRows& rows, uint8_t offset, uint8_t* to);
  void (*interleave6)(const TileRows& rows, uint8_t offset, uint8_t* to);
  /// To [blocks][units][16 or 32 rows].
  void (*interleave16)(const TileRows& rows, uint8_t* to);
  void (*interleave32)(const TileRows& rows, uint8_t* to);
  /// From bytes [units][rows][4], `corrections` * rule.units of them, to [corrections][rows].
  /// `rows` is a multiple of eight.
  void (*correct)(const uint8_t* bytes, std::size_t rows, std::size_t corrections,
                  const CorrectionRule& rule, int32_t* to);
  /// Clears fits[block] of bytes [blocks][32] where the squares of one of the block's lanes, bytes
  /// 0 and 1 or bytes 2 and 3 of its units, may sum up to more than 8 * `limit`.
  void (*check_lanes)(const int8_t* bytes, std::size_t blocks, uint32_t limit, uint8_t* fits);
  /// The integers of a block, at most 2^32 each, to words whose squares sum up to less than 2^31.
  Shortened (*shorten)(const float* integers, int16_t* words);
};

const PackKernels& pack_kernels(SimdLevel level);

const PackKernels& pack_kernels_portable();
const PackKernels& pack_kernels_avx2();

}  // namespace mx
