// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mxe::numerics {

enum class NibbleOrder : uint8_t {
  low,   ///< the first element in the low bits: the engine, torchao, ModelOpt, Transformer Engine,
         ///< CANN
  high,  ///< the first element in the high nibble (4-bit formats only): torchmx, torchao up to 2025
};

/// Bytes of a packed row of `columns` codes of 1 to 8 bits. Example: 3 codes of 4 bits: 2 bytes.
std::size_t packed_bytes(std::size_t columns, int bits);

/// Throws Error unless codes of `bits` bits can be packed in this order.
void require_packing(int bits, NibbleOrder order);

/// The elements of a packed row: `length`, else as many as fit. Throws Error if `length` elements
/// do not take exactly `bytes`. Example: 2 bytes of 4 bits: 4, or 3 if that is the length.
std::size_t unpacked_length(std::size_t bytes, int bits, std::optional<std::size_t> length);

/// Packs codes [rows][columns] of 1 to 8 bits into rows of packed_bytes(); unused bits are 0.
/// Throws Error as require_packing().
std::vector<uint8_t> pack_codes(const uint8_t* codes, std::size_t rows, std::size_t columns,
                                int bits, NibbleOrder order);

/// Inverse of pack_codes for rows `row_stride` bytes apart.
std::vector<uint8_t> unpack_codes(const uint8_t* packed, std::size_t rows, std::size_t columns,
                                  int bits, NibbleOrder order, std::size_t row_stride);

/// Throws Error unless scales can be swizzled: they have codes and as many axes as the array
/// (`rank`), and the blocks lie along the last axis.
void require_swizzle(bool has_codes, std::size_t scale_rank, std::size_t axis, std::size_t rank);

/// Bytes of swizzle_scales(): 130 x 5 scales -> 256 x 8 = 2,048.
std::size_t swizzled_size(std::size_t rows, std::size_t columns);

/// Arranges scales [rows][columns] in the 32x4x4 layout of cuBLAS and tcgen05: padded with 0 to
/// multiples of 128 rows and 4 columns, each 128x4 tile as 32 rows of 4 row groups of 4 columns.
std::vector<uint8_t> swizzle_scales(const uint8_t* scales, std::size_t rows, std::size_t columns);

std::vector<uint8_t> unswizzle_scales(const uint8_t* swizzled, std::size_t rows,
                                      std::size_t columns);

}  // namespace mxe::numerics
