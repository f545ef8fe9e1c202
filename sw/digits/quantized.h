// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/job/job.h"
#include "model/numerics/formats/format.h"
#include "sw/digits/network.h"

namespace mxe::digits {

struct Variant {
  numerics::FormatId activations, weights;

  std::string name() const;
};

/// The reference's logits of the classifier, with one variant per layer. `dual`: pairs of 4-bit
/// formats are summed as at the engine's dual rate.
std::vector<float> quantized_logits(const Digits& digits, const std::vector<Variant>& layers,
                                    bool dual);

/// The matrix product of a layer: its input `x` and its weights in the formats of `variant`.
job::Job quantize_layer(const DenseLayer& layer, const std::vector<float>& x,
                        const Variant& variant);

}  // namespace mxe::digits
