// SPDX-License-Identifier: Apache-2.0
// MXQuantizeDequantize for onnxruntime: numbers to an MX format and back.
#pragma once

#include <vector>

#include "model/numerics/presets.h"
#include "sw/python/onnxruntime/abi.h"

namespace mxe::onnxruntime {

/// Whose operator: its defaults, and what it does with arrays of less than two axes, differ.
enum class Owner : uint8_t { mxe, quark };

/// A node of a model.
class Kernel {
 public:
  /// Reads the attributes element_dtype, axis, block_size, rounding_mode and, of ours, preset.
  /// Throws mx::Error for those that do not exist.
  Kernel(const Api& api, const KernelInfo* info, Owner owner, Element element);

  /// Throws mx::Error for an axis that the input does not have.
  void compute(KernelContext* context) const;

 private:
  /// x may be out.
  void quantize(const float* x, std::vector<std::size_t> shape, float* out) const;

  const Api& api_;
  Owner owner_;
  Element element_;
  mx::Quantizer quantizer_;
  int axis_;
};

}  // namespace mxe::onnxruntime
