// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/onnx_model.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <vector>

#include "model/numerics/error.h"
#include "model/numerics/files.h"
#include "model/numerics/printable.h"
#include "model/numerics/shallow_json.h"
#include "sw/explore/onnx_dimensions.h"
#include "sw/explore/onnx_shapes.h"

namespace mxe::explore {
namespace {

using mx::printable;

using onnx::NodeProto;
using Sizes = std::vector<uint64_t>;

// Operators that multiply matrices in ways that are not known here.
constexpr std::array<std::string_view, 9> kUnsupported = {
    "ConvInteger",   "DeformConv",  "Einsum",        "GRU", "LSTM",
    "MatMulInteger", "QLinearConv", "QLinearMatMul", "RNN"};
constexpr std::array<std::string_view, 4> kProducts = {"Conv", "ConvTranspose", "Gemm", "MatMul"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, const NodeProto& node) {
  return (node.domain().empty() || node.domain() == "ai.onnx") &&
         std::find(names.begin(), names.end(), node.op_type()) != names.end();
}

int64_t attribute_of(const NodeProto& node, const char* name, int64_t other) {
  for (const auto& one : node.attribute()) {
    if (one.name() == name) return one.i();
  }
  return other;
}

uint64_t product_of(const Sizes& sizes, std::size_t begin, std::size_t end) {
  uint64_t product = 1;
  for (std::size_t i = begin; i < end; i++) {
    product *= sizes[i];
    if (product > kMostElements) {
      throw mx::Error(fmt::format("its product would have a size of more than {}", kMostElements));
    }
  }
  return product;
}

Layer layer_of(uint64_t m, uint64_t n, uint64_t k, uint64_t count) {
  Layer layer;
  layer.m = m;
  layer.n = n;
  layer.k = k;
  layer.count = count;
  return layer;
}

Layer matmul(Sizes a, Sizes b) {
  if (a.empty() || b.empty()) throw mx::Error("a scalar is no matrix");
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const std::size_t a_batches = a.size() - 2, b_batches = b.size() - 2;
  const uint64_t n = b[b_batches + 1], k = b[b_batches];
  if (a.back() != k) throw mx::Error("the K of its operands differ");
  // One matrix for all rows.
  if (product_of(b, 0, b_batches) == 1) return layer_of(product_of(a, 0, a.size() - 1), n, k, 1);
  Sizes batches(std::max(a_batches, b_batches), 1);
  for (std::size_t i = 0; i < batches.size(); i++) {
    if (i < a_batches) batches[batches.size() - 1 - i] = a[a_batches - 1 - i];
    if (i < b_batches) {
      uint64_t& size = batches[batches.size() - 1 - i];
      size = std::max(size, b[b_batches - 1 - i]);
    }
  }
  return layer_of(a[a_batches], n, k, product_of(batches, 0, batches.size()));
}

Layer gemm(const NodeProto& node, const Sizes& a, const Sizes& b) {
  if (a.size() != 2 || b.size() != 2) throw mx::Error("its operands are no matrices");
  const bool a_turned = attribute_of(node, "transA", 0) != 0;
  const bool b_turned = attribute_of(node, "transB", 0) != 0;
  const uint64_t k = b[b_turned ? 1 : 0];
  if (a[a_turned ? 0 : 1] != k) throw mx::Error("the K of its operands differ");
  return layer_of(a[a_turned ? 1 : 0], b[b_turned ? 0 : 1], k, 1);
}

uint64_t groups_of(const NodeProto& node, uint64_t channels, uint64_t in_weights) {
  const int64_t groups = attribute_of(node, "group", 1);
  if (groups < 1 || channels % static_cast<uint64_t>(groups) != 0 ||
      channels / static_cast<uint64_t>(groups) != in_weights) {
    throw mx::Error(fmt::format("{} channels in {} groups do not fit weights for {}", channels,
                                groups, in_weights));
  }
  return static_cast<uint64_t>(groups);
}

// A row for each pixel of the output, K over channels and kernel.
Layer convolution(const NodeProto& node, const Sizes& x, const Sizes& weight, const Sizes& y) {
  if (x.size() < 3 || weight.size() != x.size() || y.size() != x.size()) {
    throw mx::Error("its operands are no images and filters");
  }
  const uint64_t groups = groups_of(node, x[1], weight[1]);
  if (weight[0] % groups != 0) throw mx::Error("its filters are no multiple of its groups");
  const uint64_t pixels = product_of(y, 2, y.size());
  return layer_of(product_of({y[0], pixels}, 0, 2), weight[0] / groups,
                  product_of(weight, 1, weight.size()), groups);
}

// A row for each pixel of the input, whose products with the kernel are then added where they meet.
Layer transposed_convolution(const NodeProto& node, const Sizes& x, const Sizes& weight) {
  if (x.size() < 3 || weight.size() != x.size()) {
    throw mx::Error("its operands are no images and filters");
  }
  const int64_t groups = attribute_of(node, "group", 1);
  if (groups < 1 || x[1] != weight[0] || x[1] % static_cast<uint64_t>(groups) != 0) {
    throw mx::Error("its channels do not fit its weights");
  }
  const uint64_t pixels = product_of(x, 2, x.size());
  return layer_of(product_of({x[0], pixels}, 0, 2), product_of(weight, 1, weight.size()),
                  x[1] / static_cast<uint64_t>(groups), static_cast<uint64_t>(groups));
}

Layer product_layer(const NodeProto& node, const OnnxShapes& shapes) {
  const Sizes a = shapes.sizes(node.input(0)), b = shapes.sizes(node.input(1));
  if (node.op_type() == "MatMul") return matmul(a, b);
  if (node.op_type() == "Gemm") return gemm(node, a, b);
  if (node.op_type() == "Conv") return convolution(node, a, b, shapes.sizes(node.output(0)));
  return transposed_convolution(node, a, b);
}

// In the graphs of If, Loop and Scan: how often they run is not known.
void require_no_products(const onnx::GraphProto& graph) {
  for (const NodeProto& node : graph.node()) {
    if (is_one_of(kProducts, node) || is_one_of(kUnsupported, node)) {
      throw mx::Error(
          fmt::format("products in its graphs, here {}, are not supported", node.op_type()));
    }
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) require_no_products(attribute.g());
      for (const auto& inner : attribute.graphs()) require_no_products(inner);
    }
  }
}

void require_supported(const NodeProto& node) {
  if (is_one_of(kUnsupported, node)) {
    throw mx::Error(fmt::format(
        "operator {} is not supported (products are MatMul, Gemm, Conv and ConvTranspose)",
        node.op_type()));
  }
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) require_no_products(attribute.g());
    for (const auto& inner : attribute.graphs()) require_no_products(inner);
  }
}

std::string name_of(const NodeProto& node) {
  return node.name().empty() && node.output_size() != 0 ? node.output(0) : node.name();
}

onnx::ModelProto parse_model(const void* bytes, std::size_t size) {
  onnx::ModelProto model;
  const bool fits = size <= static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (!fits) throw mx::Error("more than 2 GiB: weights belong in another file (external data)");
  // Nothing in this format is required, so what is not there is looked for here.
  if (!model.ParsePartialFromArray(bytes, static_cast<int>(size)) || !model.has_graph()) {
    throw mx::Error("truncated, or not an ONNX model");
  }
  return model;
}

void resolve_inputs(onnx::ModelProto& model, const RunSize& run, Workload& workload) {
  std::set<std::string> weights;
  for (const auto& tensor : model.graph().initializer()) weights.insert(tensor.name());
  OnnxDimensions dimensions(run);
  bool first = true;
  for (auto& input : *model.mutable_graph()->mutable_input()) {
    if (weights.count(input.name()) != 0) continue;  // old models list weights, too
    dimensions.resolve(input);
    const auto sizes = sizes_of(input.type());
    if (first && sizes && sizes->size() == 4) {
      workload.items = static_cast<uint64_t>((*sizes)[0]);
      workload.item_name = "images";
    }
    first = false;
  }
  dimensions.require_all_used();
  if (!workload.item_name.empty() || !dimensions.has_batch()) return;
  const bool tokens = dimensions.has_sequence();
  workload.items = product_of({run.batch.value_or(1), tokens ? run.sequence.value_or(1) : 1}, 0, 2);
  workload.item_name = tokens ? "tokens" : "inputs";
}

void add_layers(const onnx::ModelProto& model, Workload& workload) {
  OnnxShapes shapes(model);
  std::set<std::string> names;
  for (const NodeProto& node : model.graph().node()) {
    try {
      require_supported(node);
      shapes.add(node);
      if (!is_one_of(kProducts, node)) continue;
      Layer layer = product_layer(node, shapes);
      // The names of nodes need not be different, those of results do.
      layer.name = names.insert(name_of(node)).second ? name_of(node) : node.output(0);
      if (!mx::is_utf8(layer.name)) throw mx::Error("its name is not UTF-8");
      workload.layers.push_back(std::move(layer));
    } catch (const std::exception& error) {  // the library's, too
      throw mx::Error(fmt::format("node '{}' ({}): {}", printable(name_of(node)),
                                  printable(node.op_type()), printable(error.what())));
    }
  }
  if (workload.layers.empty()) throw mx::Error("no products of matrices");
}

}  // namespace

Workload parse_onnx(const void* bytes, std::size_t size, const RunSize& run,
                    const std::string& name) {
  try {
    onnx::ModelProto model = parse_model(bytes, size);
    Workload workload;
    workload.name = std::filesystem::path(name).stem().string();
    resolve_inputs(model, run, workload);
    add_layers(model, workload);
    return workload;
  } catch (const mx::Error& error) {
    throw mx::Error(fmt::format("{}: {}", name, error.what()));
  }
}

Workload read_onnx(const std::string& path, const RunSize& run) {
  const std::vector<uint8_t> bytes = mx::read_file(path);
  return parse_onnx(bytes.data(), bytes.size(), run, path);
}

}  // namespace mxe::explore
