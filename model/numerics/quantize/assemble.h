// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {

/// Scale of a whole array, in addition to block scales.
enum class WholeScale : uint8_t {
  none,          ///< only block scales, as in ocp, nvfp4-torchao1, nvfp4-te-pow2
  tensor_scale,  ///< one float32 factor, as in nvfp4-torchao2, nvfp4-modelopt
  tensor_amax,   ///< the amax that determines the factor, as in nvfp4-te
  row_amaxes,    ///< an amax per run along the axis, as in nvfp4-te-row
};

WholeScale whole_scale(const QuantizerOptions& options);

/// QuantizedArray::has_scale_codes of arrays with these options.
bool scales_have_codes(const QuantizerOptions& options);

/// `codes` or, above 8 bits, `wide_codes`; `scale_codes` or, without has_scale_codes, `scales`.
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
  /// tensor_scale and tensor_amax come from quantize(): not compared, may be NaN, Inf or 0.
  bool is_stored = false;
  std::string codes_name = "codes", scales_name = "scales";
};

/// Assembles the array. Throws Error if shapes do not match, a code is too large, or a number of
/// whole_scale() is missing, negative or inconsistent; a tensor scale or amax also if it is NaN,
/// Inf or 0, unless is_stored. Both must be absent or 1 if whole_scale() is none or row_amaxes.
QuantizedArray assemble(ArrayParts parts, const Quantizer& quantizer);

}  // namespace mxe::numerics
