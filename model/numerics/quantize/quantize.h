// SPDX-License-Identifier: Apache-2.0
// Quantizes float32, float16 and bfloat16 arrays to Microscaling formats. quantize_rows makes
// engine operands; quantize supports every format, preset (presets.h), axis and block size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/numerics/base/simd.h"
#include "model/numerics/block/quantizer_options.h"
#include "model/numerics/formats/float_array.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {

/// Throws Error for options whose result is not an engine operand: other block sizes or walks,
/// scales other than E8M0, a tensor scale, shifted elements.
void require_operand(const QuantizerOptions& options);

/// Quantizes a row-major matrix [rows][k], blocks of 32 along k, to an engine operand. Default: OCP
/// MX v1.0 section 6.3, scale exponent floor(log2(amax)) - emax, clamped to [-127, 127]. NaN or Inf
/// gives scale 0xFF and codes 0; zeros scale 0. Elements saturate, keep subnormals and the sign of
/// zero; mxint8 uses -127..127. Throws Error for options that require_operand() rejects.
MxTensor quantize_rows(const FloatArray& x, std::size_t rows, std::size_t k, FormatId format,
                       const QuantizerOptions& options = {}, unsigned threads = 1,
                       std::optional<SimdLevel> simd = {});

struct QuantizedArray {
  ElementFormat format;
  QuantizerOptions options;
  std::vector<std::size_t> shape;
  std::size_t axis = 0;              ///< of the blocks
  std::vector<uint8_t> codes;        ///< [shape], formats of at most 8 bits
  std::vector<uint16_t> wide_codes;  ///< [shape], formats of more than 8 bits
  /// `shape` with the blocked axis replaced by its number of blocks; {blocks} for BlockWalk::flat.
  /// Example: shape [4, 40], axis 1 -> [4, 2].
  std::vector<std::size_t> scale_shape;
  /// False if scales may lie outside options.scale_format, or if it has more than 8 bits.
  bool has_scale_codes = true;
  std::vector<uint8_t> scale_codes;  ///< [scale_shape] with has_scale_codes, else empty
  std::vector<float> scales;         ///< [scale_shape], as numbers
  /// NVFP4: multiplies all elements; with ValueOrder::division it divides them.
  float tensor_scale = 1;
  float tensor_amax = 1;  ///< determines the tensor scale
  /// With options.row_scaled: one per run, `shape` without the blocked axis.
  std::vector<float> row_scales, row_amaxes;
  std::vector<float> dequantized;  ///< [shape]; empty unless requested

  bool has_wide_codes() const { return format.bits > 8; }
  /// The factor of all elements: tensor_scale, or its inverse with ValueOrder::division.
  float tensor_factor() const {
    return options.value_order == ValueOrder::division ? 1.0f / tensor_scale : tensor_scale;
  }
};

/// The numbers of an array in row-major order, read in parts.
struct NumberSource {
  /// Returns elements first..last - 1, in place or converted into `buffer`.
  using Read =
      std::function<FloatArray(std::size_t first, std::size_t last, std::vector<float>& buffer)>;
  Read read;
  bool in_place = true;  ///< read() returns the array's memory, not `buffer`
};

struct QuantizeRequest {
  int axis = -1;  ///< -1 is the last axis; for BlockWalk::flat only checked
  bool dequantize = true;
  unsigned threads = 1;
  /// Called between slices of a large array with independent blocks, several times per second. May
  /// throw.
  std::function<void()> between_slices;
  // These do not change the result.
  std::optional<SimdLevel> simd;  ///< default: the best level of the processor
  bool block_by_block = false;    ///< without vector kernels
};

/// Index of an axis; -1 is the last. An array without axes has one. Throws Error for other values.
std::size_t resolve_axis(int axis, const std::vector<std::size_t>& shape);

std::vector<std::size_t> scale_shape_of(const std::vector<std::size_t>& shape, std::size_t axis,
                                        const QuantizerOptions& options);

/// Quantizes a row-major array. Throws Error for an axis that does not exist, options that
/// validate() rejects, or blocks of several rows along an axis before the last two.
QuantizedArray quantize(const FloatArray& x, const std::vector<std::size_t>& shape,
                        const ElementFormat& format, const QuantizerOptions& options,
                        const QuantizeRequest& request = {});

/// Reuses the memory of `result`, because page faults of new memory take time. Large arrays with
/// independent blocks are quantized in slices, so that conversions need little memory.
void quantize_into(const NumberSource& x, const std::vector<std::size_t>& shape,
                   const ElementFormat& format, const QuantizerOptions& options,
                   const QuantizeRequest& request, QuantizedArray& result);
void quantize_into(const FloatArray& x, const std::vector<std::size_t>& shape,
                   const ElementFormat& format, const QuantizerOptions& options,
                   const QuantizeRequest& request, QuantizedArray& result);

/// Writes only the dequantized numbers [shape], in slices. `values` may be the memory of x.
void quantize_values(const NumberSource& x, const std::vector<std::size_t>& shape,
                     const ElementFormat& format, const QuantizerOptions& options,
                     const QuantizeRequest& request, float* values);

}  // namespace mxe::numerics
