// SPDX-License-Identifier: Apache-2.0
// Quantized arrays from the codes and scales that a file or another program holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/presets.h"
#include "model/numerics/quantize.h"

namespace mx {

/// The numbers that multiply a whole array, in addition to the scales of its blocks.
enum class WholeScale : uint8_t {
  none,          ///< block scales only, for example ocp, nvfp4-torchao1 and nvfp4-te-pow2
  tensor_scale,  ///< one float32 factor, for example nvfp4-torchao2 and nvfp4-modelopt
  tensor_amax,   ///< the amax that the factor was made of, for example nvfp4-te
  row_amaxes,    ///< the amax of every run along the axis, for example nvfp4-te-row
};

/// The one that the values of arrays with these options need.
WholeScale whole_scale(const QuantizerOptions& options);

/// The parts of a quantized array. `codes` or `wide_codes` (formats of more than 8 bits) are
/// filled, and `scale_codes`, or `scales` where scales are numbers.
struct ArrayParts {
  std::vector<std::size_t> shape;
  std::vector<uint8_t> codes;
  std::vector<uint16_t> wide_codes;
  std::vector<std::size_t> scale_shape;
  bool has_scale_codes = true;
  std::vector<uint8_t> scale_codes;
  std::vector<float> scales;
  int axis = -1;
  std::optional<float> tensor_scale, tensor_amax;
  std::optional<std::vector<float>> row_amaxes;
  /// quantize() made tensor_scale and tensor_amax. They then belong together and may be NaN, Inf or
  /// 0, as of an array with a NaN.
  bool is_stored = false;
  std::string codes_name = "codes", scales_name = "scales";  ///< for messages
};

/// Puts the parts together. Throws Error if shapes do not fit, a code is too large, or the numbers
/// of whole_scale() are missing, not finite, not positive or contradict each other: no tensor scale
/// is assumed. A preset without them takes a tensor scale and an amax of 1 only.
QuantizedArray assemble(ArrayParts parts, const Quantizer& quantizer);

}  // namespace mx
