// SPDX-License-Identifier: Apache-2.0
// Byte layouts of codes and scales other than one code a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mx {

enum class NibbleOrder : uint8_t {
  low,   ///< the first element in the low bits: the engine, torchao, ModelOpt, Transformer Engine,
         ///< CANN
  high,  ///< the first element in the high nibble (4-bit formats only): torchmx, torchao up to 2025
};

/// Bytes of a packed row of `columns` codes of 1 to 8 bits. Example: 3 codes of 4 bits: 2 bytes.
std::size_t packed_bytes(std::size_t columns, int bits);

/// Packs codes [rows][columns], rows starting on byte boundaries, each row ceil(columns * bits / 8)
/// bytes, unused bits 0. bits is 1..8. Throws Error for NibbleOrder::high unless bits is 4.
std::vector<uint8_t> pack_codes(const uint8_t* codes, std::size_t rows, std::size_t columns,
                                int bits, NibbleOrder order);

/// Inverse of pack_codes for rows `row_stride` bytes apart.
std::vector<uint8_t> unpack_codes(const uint8_t* packed, std::size_t rows, std::size_t columns,
                                  int bits, NibbleOrder order, std::size_t row_stride);

/// Throws Error unless the scales of an array of `rank` axes, blocked along `axis`, can be
/// swizzled: they have codes, `scale_rank` axes, and run along the last one.
void require_swizzle(bool has_codes, std::size_t scale_rank, std::size_t axis, std::size_t rank);

/// Bytes of swizzle_scales.
std::size_t swizzled_size(std::size_t rows, std::size_t columns);

/// Scales [rows][columns] in the 32x4x4 layout of cuBLAS and tcgen05: padded with 0 to 128 rows and
/// 4 columns, each 128x4 tile stored as 32 rows of 4 row groups of 4 columns.
std::vector<uint8_t> swizzle_scales(const uint8_t* scales, std::size_t rows, std::size_t columns);

/// Inverse of swizzle_scales.
std::vector<uint8_t> unswizzle_scales(const uint8_t* swizzled, std::size_t rows,
                                      std::size_t columns);

}  // namespace mx
