// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {

/// Maps the row-major index of an element to that of its scale.
class ScaleIndex {
 public:
  explicit ScaleIndex(const QuantizedArray& array) : block_(array.options.block_size) {
    flat_ = array.options.walk == BlockWalk::flat;
    if (array.shape.empty()) return;
    length_ = array.shape[array.axis];
    for (std::size_t i = array.axis + 1; i < array.shape.size(); i++) inner_ *= array.shape[i];
    blocks_ = (length_ + block_ - 1) / block_;
  }

  std::size_t operator()(std::size_t element) const {
    if (flat_) return element / block_;
    const std::size_t inner = element % inner_;
    const std::size_t along = element / inner_ % length_;
    const std::size_t outer = element / inner_ / length_;
    return (outer * blocks_ + along / block_) * inner_ + inner;
  }

  /// Index of the element's run along the axis.
  std::size_t run(std::size_t element) const {
    return element / inner_ / length_ * inner_ + element % inner_;
  }

 private:
  std::size_t block_;
  bool flat_ = false;
  std::size_t length_ = 1;
  std::size_t inner_ = 1;
  std::size_t blocks_ = 1;
};

inline float tensor_scale_of(const QuantizedArray& array, const ScaleIndex& index,
                             std::size_t element) {
  return array.row_scales.empty() ? array.tensor_factor() : array.row_scales[index.run(element)];
}

}  // namespace mxe::numerics
