// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/checkpoints/layer.h"
#include "sw/checkpoints/tensors.h"

namespace mxe::checkpoints {

/// The quantization of a model's configuration file.
struct Configuration {
  std::string method;       ///< quant_method; empty if unknown
  std::string weight_type;  ///< Quark: dtype of the weights, for example "fp6_e2m3"; empty: unknown
  /// Quark: patterns of fnmatch() for names of layers, *, ? and [...], and the dtype of their
  /// weights. The first that matches replaces weight_type.
  std::vector<std::pair<std::string, std::string>> layer_types;

  const std::string& weight_type_of(const std::string& layer) const;
};

struct FoundLayer {
  std::string name;
  Layout layout;
  std::string weight;  ///< name of the tensor with its codes
};

/// The quantized layers among the tensors, sorted by the names of their codes.
std::vector<FoundLayer> find_layers(const TensorTable& table);

/// Reads a layer, or one matrix of its weight: `expert` is an index of the first axis. Throws Error
/// with the names of file and tensor for missing tensors and wrong types, shapes and numbers, for a
/// configuration of another layout, and for experts whose tensor scales differ without `expert`.
Layer read_layer(const TensorTable& table, const FoundLayer& found,
                 const Configuration& configuration, std::optional<std::size_t> expert);

}  // namespace mxe::checkpoints
