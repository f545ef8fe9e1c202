// SPDX-License-Identifier: Apache-2.0
// Element codes and block scales back to numbers, for every format and preset.
#pragma once

#include <cstddef>
#include <vector>

#include "model/numerics/axis_view.h"
#include "model/numerics/block.h"
#include "model/numerics/quantize.h"

namespace mx {

/// Value of every code of a scale format.
std::vector<float> scale_values(const ScaleFormat& format);

/// Multiplies every element, the value of its code, with the scale of its block: `scales` has one
/// for every `block_size` elements along the view's length. `rules` has those of every run along
/// it, or one for all.
void apply_scales(std::vector<float>& values, const std::vector<float>& scales,
                  const AxisView& view, std::size_t block_size,
                  const std::vector<BlockRules>& rules);

/// Throws Error unless an array's parts have the sizes that its shape implies.
void check_sizes(const QuantizedArray& array);

/// What the codes and scales of an array stand for, [shape]. That is what quantize() calls
/// dequantized but where a preset hands numbers through that no code stands for
/// (NanElement::pass_through), or keeps the sign of an integer's zero. Throws Error if the array's
/// parts do not have the sizes that its shape implies, or a code is too large.
std::vector<float> dequantize(const QuantizedArray& array, unsigned threads = 1);

}  // namespace mx
