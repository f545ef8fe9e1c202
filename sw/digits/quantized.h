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

/// The reference's logits, with one variant per layer. `dual`: sums pairs of 4-bit formats as the
/// engine does at the dual rate.
std::vector<float> quantized_logits(const Digits& digits, const std::vector<Variant>& layers,
                                    bool dual);

/// The product of a layer: its input `x` and its weights in the formats of `variant`.
job::Job quantize_layer(const DenseLayer& layer, const std::vector<float>& x,
                        const Variant& variant);

}  // namespace mxe::digits
