// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/layer_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "model/numerics/quantize/axis_view.h"
#include "sw/checkpoints/checkpoint.h"
#include "sw/mxe/option_values.h"

namespace mxe::cli {

void LayerChoice::add_to(CLI::App& command) {
  CLI::Option* const layer =
      command
          .add_option("--layer", name,
                      "B is a checkpoint (a .safetensors or GGUF file, an index of shards or a "
                      "folder), and B^T the weight of this layer, [N, K]; its bias is added")
          ->type_name("NAME");
  command.add_option("--expert", expert, "With --layer: an index of the weight's first axis")
      ->check(fits<uint32_t>())
      ->needs(layer);
  for (CLI::Option* const option : command.get_options()) {
    const std::string other = option->get_name();
    const bool of_b = other.size() > 2 && other.compare(other.size() - 2, 2, "-b") == 0;
    if (of_b) layer->excludes(option);
  }
}

checkpoints::Layer LayerChoice::read(const std::string& path) const {
  return checkpoints::Checkpoint(path).read(name, expert);
}

arrays::Operand operand_of(const checkpoints::Layer& layer, const std::string& path) {
  arrays::Operand operand;
  operand.path = fmt::format("{}: layer {}", path, layer.name);
  operand.quantizer = numerics::make_quantizer(layer.format, layer.preset, layer.switches);
  operand.codes = layer.parts;
  return operand;
}

OperandChoice with_activation(OperandChoice a, const checkpoints::Layer& layer) {
  QuantizerChoice& quantizer = a.quantizer;
  if (!quantizer.format.empty()) return a;
  if (quantizer.preset != "ocp" || quantizer.block || !quantizer.scale_format.empty()) {
    throw Error("--preset-a, --block-a and --scale-format-a need --format-a");
  }
  quantizer.format = layer.format;
  quantizer.preset = layer.preset;
  const auto block = layer.switches.find("block_size");
  if (block != layer.switches.end()) {
    quantizer.block = static_cast<uint32_t>(std::get<int64_t>(block->second));
  }
  if (!a.codes.tensor_scale && !a.codes.tensor_amax) a.codes.tensor_scale = layer.input_scale;
  return a;
}

void add_layer_bias(job::Products& products, const checkpoints::Layer& layer,
                    const std::string& path) {
  if (layer.bias.empty()) return;
  arrays::Array<float> bias{layer.bias_shape, layer.bias};
  if (bias.shape.size() > 1) {
    const std::vector<std::size_t>& result = products.shape;
    const std::size_t n = result.back(), m = result[result.size() - 2];
    if (result.size() != bias.shape.size() + 1 ||
        bias.values.size() * m != numerics::element_count(result)) {
      throw Error(fmt::format(
          "{}: layer {} has a bias for each expert, {}, and no product of {}: "
          "choose one with --expert",
          path, layer.name, arrays::shape_text(bias.shape), arrays::shape_text(result)));
    }
    std::vector<float> rows;
    for (std::size_t at = 0; at < bias.values.size(); at += n) {
      for (std::size_t row = 0; row < m; row++) {
        rows.insert(rows.end(), bias.values.begin() + static_cast<std::ptrdiff_t>(at),
                    bias.values.begin() + static_cast<std::ptrdiff_t>(at + n));
      }
    }
    bias = {result, std::move(rows)};
  }
  arrays::add_bias(products, std::move(bias), false, path);
}

}  // namespace mxe::cli
