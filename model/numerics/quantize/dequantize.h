// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "model/numerics/block/block.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {

std::vector<float> scale_values(const ScaleFormat& format);

/// `scales`: one per `block_size` elements along the length; `rules`: one per run, or one for all.
void apply_scales(std::vector<float>& values, const std::vector<float>& scales,
                  const AxisView& view, std::size_t block_size,
                  const std::vector<BlockRules>& rules);

/// Throws Error unless an array's parts have the sizes that its shape implies.
void check_sizes(const QuantizedArray& array);

/// The values of an array's codes and scales, [shape]. They equal QuantizedArray::dequantized
/// except for elements without a code (pass_through) and the sign of an integer's zero. Throws
/// Error if sizes do not match the shape, or if a code is too large.
std::vector<float> dequantize(const QuantizedArray& array, unsigned threads = 1);

}  // namespace mxe::numerics
