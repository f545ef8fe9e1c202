// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/numerics/base/simd.h"
#include "model/numerics/formats/scaled_format.h"

namespace mxe::numerics {

/// A matrix [rows][k] with a scale per block along k, by default E8M0 and blocks of 32. k = 40:
/// blocks of 32 and 8.
struct MxTensor {
  FormatId format = FormatId::mxfp8_e4m3;
  std::size_t rows = 0;
  std::size_t k = 0;
  std::vector<uint8_t> codes;   ///< [rows][k], one right-aligned element code per byte
  std::vector<uint8_t> scales;  ///< [rows][scale_columns()]
  ScaleLayout layout = {};
  /// Factors of all values of the tensor or of a row: none, one, or one per row (NVFP4).
  std::vector<float> tensor_scales = {};  // NOLINT: lists of the members may omit it

  std::size_t scale_columns() const { return layout.columns(k); }
  ScaledFormat scaled_format() const { return {format, layout}; }
};

/// Throws Error unless the vectors have the sizes that rows and k imply and a product can have such
/// an operand.
void check(const MxTensor& tensor);

MxTensor slice_rows(const MxTensor& tensor, std::size_t first, std::size_t count);

/// True for the default layout of MxTensor, as dequantize_rows() needs it.
inline bool has_blocks_of_32(const MxTensor& tensor) { return tensor.layout == ScaleLayout{}; }

/// The same tensor with E8M0 scales for blocks of 32: a longer block's scale repeats, a tensor
/// without scales has ones. Throws Error if blocks are shorter or scales have significands.
MxTensor with_blocks_of_32(const MxTensor& tensor);

/// Element value times block scale, [rows][k], without tensor_scales. A NaN scale makes its block
/// NaN. A product beyond float32 becomes Inf; every NaN is 0x7FC00000.
std::vector<float> dequantize(const MxTensor& tensor, unsigned threads = 1,
                              std::optional<SimdLevel> simd = {});
/// Dequantizes codes and scales in the default layout of MxTensor into out [rows][k].
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
