// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/numerics/base/simd.h"
#include "model/numerics/kernels/packed_operand.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {

/// Kernels that add byte products in 16 bits use words for mxint8 times mxint8, which overflows.
GemmPath gemm_path(FormatId a, FormatId b, bool adds_bytes_in_words);

/// Rows per tile for an A of `rows` rows: the height with which the padded rows take less time. A
/// row takes a sixth less in a high tile: 4 rows use a low tile, 5 a high one. words_double always
/// uses low tiles, for lack of registers.
std::size_t tile_rows(GemmPath path, std::size_t rows);

/// Packing for the kernels that will multiply. `level` and `threads` do not change the result.
struct PackOptions {
  std::size_t columns;       ///< per tile: 16 or 32
  bool adds_bytes_in_words;  ///< see gemm_path()
  SimdLevel level;
  unsigned threads;
  std::size_t step_blocks = 0;  ///< blocks of 32 per step of scaled_bytes; 0: the other paths
};

PackedOperand pack_a(const MxTensor& a, FormatId format_b, const PackOptions& options);
PackedOperand pack_b(const MxTensor& b, FormatId format_a, const PackOptions& options);

/// How many sums of two byte products 16 bits can add: 8 (a whole block), 4, 2 or 1. Two E2M1
/// blocks: 8 * 2 * 12 * 12 = 2,304 -> 8. An overflow by A's offset is undone by its correction.
int byte_sums(FormatId a, FormatId b);

}  // namespace mxe::numerics
