// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/numerics/base/simd.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

/// A matrix [rows][k] with an E8M0 scale per 32 elements along k. k = 40: blocks of 32 and 8.
struct MxTensor {
  FormatId format = FormatId::mxfp8_e4m3;
  std::size_t rows = 0;
  std::size_t k = 0;
  std::vector<uint8_t> codes;   ///< [rows][k], one right-aligned element code per byte
  std::vector<uint8_t> scales;  ///< [rows][scale_columns()], E8M0

  std::size_t scale_columns() const { return (k + kBlockSize - 1) / kBlockSize; }
};

/// Throws Error unless the vectors have the sizes that rows and k imply.
void check(const MxTensor& tensor);

MxTensor slice_rows(const MxTensor& tensor, std::size_t first, std::size_t count);

/// Element value times scale, [rows][k]. A NaN scale makes its block NaN. A product beyond float32
/// becomes Inf; every NaN is 0x7FC00000.
std::vector<float> dequantize(const MxTensor& tensor, unsigned threads = 1,
                              std::optional<SimdLevel> simd = {});
/// Dequantizes codes and scales with the layout of MxTensor into out [rows][k].
void dequantize_rows(FormatId format, const uint8_t* codes, const uint8_t* scales, std::size_t rows,
                     std::size_t k, unsigned threads, std::optional<SimdLevel> simd, float* out);

/// Bytes of one packed row. Elements are packed from the lowest bit up (4 bit: the first element is
/// the low nibble). Each row starts on a byte boundary: 5 elements of 6 bits take 4 bytes.
std::size_t packed_row_bytes(FormatId format, std::size_t k);

/// The engine's operand layout: rows packed_row_bytes apart, unused bits of the last byte 0.
std::vector<uint8_t> pack_rows(const MxTensor& tensor);

std::vector<uint8_t> unpack_rows(FormatId format, const uint8_t* packed, std::size_t rows,
                                 std::size_t k, std::size_t row_stride);

}  // namespace mxe::numerics
