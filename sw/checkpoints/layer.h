// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/assemble.h"

namespace mxe::checkpoints {

/// Who stores a layer, and how.
enum class Layout : uint8_t {
  modelopt_nvfp4,            ///< X.weight U8, X.weight_scale F8_E4M3, X.weight_scale_2
  mxfp8,                     ///< X.weight F8_E4M3 or F8_E5M2, X.weight_scale U8: three systems
  quark_mxfp4,               ///< X.weight U8, X.weight_scale U8
  quark_mxfp6,               ///< the same; the configuration names the element type
  compressed_tensors_nvfp4,  ///< X.weight_packed U8, X.weight_scale F8_E4M3, X.weight_global_scale
  compressed_tensors_mxfp4,  ///< X.weight_packed U8, X.weight_scale U8
  gpt_oss_mxfp4,             ///< X.blocks and X.scales, or X_blocks and X_scales, U8
  torchao_mx,                ///< P._W_qdata, P._W_scale F8_E8M0
  torchao_nvfp4,             ///< P._W_qdata, P._W_scale F8_E4M3, P._W_per_tensor_scale or none
  gguf_mxfp4,
  gguf_nvfp4,  ///< with X.scale or none
};

/// Example: "ModelOpt NVFP4".
std::string_view layout_name(Layout layout);

/// Weights of a linear layer, [..., N, K] with blocks along K; leading axes are experts.
struct Layer {
  std::string name;
  Layout layout = Layout::mxfp8;
  /// Arguments of make_quantizer(): the values of codes and scales are those of the layout's
  /// system.
  std::string format, preset;
  numerics::Overrides switches;
  /// Shape, codes, scale codes and the tensor scale, for assemble().
  numerics::ArrayParts parts;
  /// The constant tensor scale of the activations, as the preset defines it.
  std::optional<float> input_scale;
  std::vector<std::size_t> bias_shape;  ///< [N] or [..., N]; empty without a bias
  std::vector<float> bias;
};

}  // namespace mxe::checkpoints
