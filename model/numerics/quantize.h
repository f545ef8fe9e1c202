// SPDX-License-Identifier: Apache-2.0
// float32, float16 and bfloat16 arrays to Microscaling and back.
//
// quantize_rows makes the engine's operands; quantize serves every format, preset, axis and block
// size. How a quantizer behaves is a value, QuantizerOptions (presets.h makes them by name).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/numerics/float_array.h"
#include "model/numerics/quantizer_options.h"
#include "model/numerics/simd.h"
#include "model/numerics/tensor.h"

namespace mx {

/// Quantizes a row-major matrix [rows][k], blocks of 32 along k (contiguous), to the engine's
/// operands. With the defaults: exact floor(log2 amax) - emax clamped to [-127, 127]; any NaN or
/// Inf in a block gives scale 0xFF and codes 0; an all-zero block has scale 0; elements saturate,
/// keep subnormals and the sign of zero; mxint8 uses -127..127. Throws Error for options whose
/// result is no engine operand: other block sizes or walks, scales that are not E8M0 codes,
/// elements with a shifted meaning.
MxTensor quantize_rows(const FloatArray& x, std::size_t rows, std::size_t k, FormatId format,
                       const QuantizerOptions& options = {}, unsigned threads = 1,
                       std::optional<SimdLevel> simd = {});

/// A quantized array of any shape.
struct QuantizedArray {
  ElementFormat format;
  QuantizerOptions options;
  std::vector<std::size_t> shape;
  std::size_t axis = 0;              ///< the blocked one
  std::vector<uint8_t> codes;        ///< [shape], formats of at most 8 bits
  std::vector<uint16_t> wide_codes;  ///< [shape], formats of more than 8 bits
  /// `shape` with the blocked axis replaced by its number of blocks; {blocks} for BlockWalk::flat.
  std::vector<std::size_t> scale_shape;
  /// Whether scales have codes: false if some may lie outside options.scale_format or it has more
  /// than 8 bits. The type of the scales follows from this, also for an array without elements.
  bool has_scale_codes = true;
  std::vector<uint8_t> scale_codes;  ///< [scale_shape] with has_scale_codes, else empty
  std::vector<float> scales;         ///< [scale_shape], as numbers
  float tensor_scale = 1;            ///< NVFP4: multiplies everything
  float tensor_amax = 1;             ///< what the tensor scale was made of
  /// With options.row_scaled, `shape` without the blocked axis: one of each for every run.
  std::vector<float> row_scales, row_amaxes;
  std::vector<float> dequantized;  ///< [shape]; empty unless asked for

  bool has_wide_codes() const { return format.bits > 8; }
};

struct QuantizeRequest {
  int axis = -1;  ///< negative counts from the last one; ignored by BlockWalk::flat
  bool dequantize = true;
  unsigned threads = 1;
  std::optional<SimdLevel> simd;  ///< default: the best the processor runs; the bits are the same
  bool block_by_block = false;    ///< without vector kernels, by the definition; the same bits
};

/// The axis that `axis` means: -1 is the last one. An array without axes has one, of one element.
/// Throws Error if it does not exist.
std::size_t resolve_axis(int axis, const std::vector<std::size_t>& shape);

/// Quantizes a row-major array. An array without axes is one element with one axis. Throws Error
/// for an axis that does not exist, options that validate() refuses, or blocks of several rows
/// along an axis that is not one of the last two. A shape with a 0 gives empty parts at once,
/// whatever the other axes are.
QuantizedArray quantize(const FloatArray& x, const std::vector<std::size_t>& shape,
                        const ElementFormat& format, const QuantizerOptions& options,
                        const QuantizeRequest& request = {});

/// The same into a result whose memory is used again where it has the right size: new memory takes
/// as long as the quantizing itself.
void quantize_into(const FloatArray& x, const std::vector<std::size_t>& shape,
                   const ElementFormat& format, const QuantizerOptions& options,
                   const QuantizeRequest& request, QuantizedArray& result);

}  // namespace mx
