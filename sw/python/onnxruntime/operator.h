// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/numerics/block/presets.h"
#include "sw/python/onnxruntime/abi.h"

namespace mxe::onnxruntime {

/// The operator's vendor. Defaults of attributes, unknown rounding modes, and the results for
/// single numbers and 1-D arrays differ.
enum class Owner : uint8_t { mxe, quark };

class Kernel {
 public:
  /// Reads the attributes (`preset` only for Owner::mxe). Throws Error for unknown values.
  Kernel(const Api& api, const KernelInfo* info, Owner owner, Element element);

  /// Throws Error for an axis that the input does not have.
  void compute(KernelContext* context) const;

 private:
  /// `out` may be `x`.
  void quantize(const float* x, const std::vector<std::size_t>& shape, float* out) const;

  const Api& api_;
  Owner owner_;
  Element element_;
  numerics::Quantizer quantizer_;
  int axis_;
};

}  // namespace mxe::onnxruntime
