// SPDX-License-Identifier: Apache-2.0
// A block-quantized matrix as the engine consumes it, and its byte layouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/numerics/format.h"
#include "model/numerics/simd.h"

namespace mx {

/// A row-major matrix [rows][k], blocks of 32 along k, one E8M0 scale a block. The last block of a
/// row may be short.
struct MxTensor {
  FormatId format = FormatId::mxfp8_e4m3;
  std::size_t rows = 0;
  std::size_t k = 0;
  std::vector<uint8_t> codes;   ///< [rows][k], one element code a byte, right aligned
  std::vector<uint8_t> scales;  ///< [rows][scale_columns()], E8M0

  std::size_t scale_columns() const { return (k + kBlockSize - 1) / kBlockSize; }
};

/// Throws Error unless the vectors have the sizes that rows and k imply.
void check(const MxTensor& tensor);

/// Rows first to first + count - 1 as a tensor of their own.
MxTensor slice_rows(const MxTensor& tensor, std::size_t first, std::size_t count);

/// Value of every element times its scale, [rows][k]. A NaN scale makes its block NaN; a product
/// beyond float32 becomes Inf, every NaN is 0x7FC00000.
std::vector<float> dequantize(const MxTensor& tensor, unsigned threads = 1,
                              std::optional<SimdLevel> simd = {});
/// The same into out [rows][k], from codes and scales laid out as in MxTensor.
void dequantize_rows(FormatId format, const uint8_t* codes, const uint8_t* scales, std::size_t rows,
                     std::size_t k, unsigned threads, std::optional<SimdLevel> simd, float* out);

/// Bytes of one packed row: elements are packed little endian in bit order (4 bit: the first
/// element in the low nibble; 6 bit: four elements in three bytes), each row starts on a byte
/// boundary.
std::size_t packed_row_bytes(FormatId format, std::size_t k);

/// The engine's operand layout, rows packed_row_bytes apart; unused bits of the last byte are 0.
std::vector<uint8_t> pack_rows(const MxTensor& tensor);

/// Inverse of pack_rows: the codes [rows][k].
std::vector<uint8_t> unpack_rows(FormatId format, const uint8_t* packed, std::size_t rows,
                                 std::size_t k, std::size_t row_stride);

}  // namespace mx
