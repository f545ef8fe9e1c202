// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/job/products.h"
#include "sw/arrays/products.h"
#include "sw/checkpoints/layer.h"
#include "sw/mxe/operand_choice.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// --layer and --expert of `matmul`: the weight of a checkpoint's layer as B, transposed.
struct LayerChoice {
  std::string name;
  std::optional<uint32_t> expert;

  /// Excludes the command's options that end in "-b", which must exist already.
  void add_to(CLI::App& command);
  bool is_given() const { return !name.empty(); }
  /// Throws Error with `path` for a wrong file, name or expert.
  checkpoints::Layer read(const std::string& path) const;
};

arrays::Operand operand_of(const checkpoints::Layer& layer, const std::string& path);

/// Without a format of A: the layer's format and preset, and its constant tensor scale of the
/// activations.
OperandChoice with_activation(OperandChoice a, const checkpoints::Layer& layer);

/// Adds the bias of the layer, if it has one. That of several experts needs as many results.
void add_layer_bias(job::Products& products, const checkpoints::Layer& layer,
                    const std::string& path);

}  // namespace mxe::cli
