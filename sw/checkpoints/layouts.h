// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sw/checkpoints/layer.h"
#include "sw/checkpoints/tensors.h"

namespace mxe::checkpoints {

struct FoundLayer {
  std::string name;
  Layout layout;
  std::string weight;  ///< name of the tensor with its codes
};

/// The quantized layers among the tensors, sorted by the names of their codes.
std::vector<FoundLayer> find_layers(const TensorTable& table);

/// Reads a layer, or one matrix of its weight: `expert` is an index of the first axis. `method`:
/// the quant_method of the model's configuration, or empty. Throws Error with the names of file and
/// tensor for missing tensors and wrong types, shapes and numbers, for a method of another layout,
/// and for experts whose tensor scales differ without `expert`.
Layer read_layer(const TensorTable& table, const FoundLayer& found, const std::string& method,
                 std::optional<std::size_t> expert);

}  // namespace mxe::checkpoints
