// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/onnx_shapes.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/numerics/error.h"
#include "model/numerics/printable.h"
#include "sw/explore/workload.h"

namespace mxe::explore {
namespace {

using mx::printable;

using onnx::AttributeProto;
using onnx::NodeProto;
using onnx::TensorProto;
using onnx::TypeProto;

/// The newest operators that the library knows.
constexpr int kLibraryVersion = 17;

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Operators newer than the library whose result has the shape of their first input.
constexpr std::array<std::string_view, 6> kSameShape = {
    "Gelu", "Mish", "Swish", "GroupNormalization", "RMSNormalization", "RotaryEmbedding"};

// Attributes newer than the library that do not change shapes.
constexpr std::array<std::string_view, 6> kHarmless = {"saturate",   "antialias",  "num_outputs",
                                                       "block_size", "round_mode", "precision"};

// The numbers of a small constant.
std::vector<int64_t> list_of(const TensorProto& tensor) {
  if (tensor.data_type() != TensorProto::INT64) return {};
  return onnx::ParseData<int64_t>(&tensor);
}

std::optional<std::size_t> rank_of(const std::string& value, const OnnxTypes& types) {
  const auto type = types.find(value);
  if (type == types.end() || !type->second->has_tensor_type() ||
      !type->second->tensor_type().has_shape()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(type->second->tensor_type().shape().dim_size());
}

// The library takes for granted that the filters of a convolution have as many axes as its images.
void require_filters(const NodeProto& node, const OnnxTypes& types) {
  if ((node.op_type() != "Conv" && node.op_type() != "ConvTranspose") || node.input_size() < 2) {
    return;
  }
  const auto images = rank_of(node.input(0), types), filters = rank_of(node.input(1), types);
  if (images && filters && (*images < 3 || images != filters)) {
    throw mx::Error("its operands are no images and filters");
  }
}

// The library divides by these.
void require_steps(const NodeProto& node) {
  for (const AttributeProto& one : node.attribute()) {
    if (one.name() != "strides" && one.name() != "dilations" && one.name() != "kernel_shape") {
      continue;
    }
    for (const int64_t size : one.ints()) {
      if (size < 1 || static_cast<uint64_t>(size) > kMostElements) {
        throw mx::Error(fmt::format("{} has {}, but must be at least 1", one.name(), size));
      }
    }
  }
}

}  // namespace

OnnxShapes::OnnxShapes(const onnx::ModelProto& model) {
  for (const auto& import : model.opset_import()) {
    const std::string domain = import.domain() == "ai.onnx" ? "" : import.domain();
    versions_[domain] = static_cast<int>(std::clamp<int64_t>(import.version(), 0, 1000));
  }
  version_ = versions_.count("") != 0 ? versions_.at("") : 0;
  if (version_ < 1) throw mx::Error("no version of the operators (opset_import)");
  for (const auto& tensor : model.graph().initializer()) add_initializer(tensor);
  for (const auto& sparse : model.graph().sparse_initializer()) {
    TypeProto type;
    type.mutable_tensor_type()->set_elem_type(sparse.values().data_type());
    auto* shape = type.mutable_tensor_type()->mutable_shape();
    for (const int64_t size : sparse.dims()) shape->add_dim()->set_dim_value(size);
    add_value(sparse.values().name(), std::move(type));
  }
  for (const auto& input : model.graph().input()) {
    if (types_.count(input.name()) == 0) add_value(input.name(), input.type());
  }
}

void OnnxShapes::add_value(const std::string& name, TypeProto type) {
  if (!types_.emplace(name, nullptr).second) {
    throw mx::Error(fmt::format("'{}' is computed twice", printable(name)));
  }
  types_[name] = &own_types_.emplace_back(std::move(type));
}

void OnnxShapes::add_initializer(const TensorProto& tensor) {
  TypeProto type;
  type.mutable_tensor_type()->set_elem_type(tensor.data_type());
  auto* shape = type.mutable_tensor_type()->mutable_shape();
  for (const int64_t size : tensor.dims()) shape->add_dim()->set_dim_value(size);
  add_value(tensor.name(), std::move(type));
  // Weights in other files are not needed, only their shapes.
  if (tensor.data_location() != TensorProto::EXTERNAL) constants_[tensor.name()] = &tensor;
}

// The node in words that the library knows: attributes where newer versions have inputs.
NodeProto OnnxShapes::as_known(const NodeProto& node) const {
  NodeProto known = node;
  if (version_ <= kLibraryVersion) return known;
  const bool reduces = node.op_type().rfind("Reduce", 0) == 0 && node.op_type() != "ReduceSum";
  if (reduces && node.input_size() == 2) {
    const auto axes = constants_.find(node.input(1));
    if (!node.input(1).empty() && axes == constants_.end()) {
      throw mx::Error("its axes are not constant");
    }
    known.mutable_input()->RemoveLast();
    if (!node.input(1).empty()) {
      AttributeProto& attribute = *known.add_attribute();
      attribute.set_name("axes");
      attribute.set_type(AttributeProto::INTS);
      for (const int64_t axis : list_of(*axes->second)) attribute.add_ints(axis);
    }
  }
  const auto* schema = onnx::OpSchemaRegistry::Schema(node.op_type(), version_, node.domain());
  if (schema == nullptr) return known;
  for (int i = known.attribute_size(); i-- > 0;) {
    const std::string& name = known.attribute(i).name();
    if (schema->attributes().count(name) != 0) continue;
    const bool keeps = node.op_type().rfind("Reduce", 0) == 0 && name == "noop_with_empty_axes" &&
                       known.attribute(i).i() == 0;
    if (!keeps && !is_one_of(kHarmless, name)) {
      throw mx::Error(
          fmt::format("its attribute {} is newer than version {} of the operators, "
                      "which is supported",
                      printable(name), kLibraryVersion));
    }
    known.mutable_attribute()->DeleteSubrange(i, 1);
  }
  return known;
}

std::vector<TypeProto> OnnxShapes::inferred(const NodeProto& node) {
  if (version_ > kLibraryVersion && is_one_of(kSameShape, node.op_type()) &&
      node.input_size() > 0) {
    std::vector<TypeProto> types(static_cast<std::size_t>(node.output_size()));
    const auto first = types_.find(node.input(0));
    if (!types.empty() && first != types_.end()) types[0] = *first->second;
    return types;
  }
  NodeProto known = as_known(node);
  if (known.domain() == "ai.onnx") known.clear_domain();
  const auto version = versions_.find(known.domain());
  const auto* schema =
      version == versions_.end()
          ? nullptr
          : onnx::OpSchemaRegistry::Schema(known.op_type(), version->second, known.domain());
  if (schema == nullptr) {
    const std::string domain = known.domain().empty() ? "" : printable(known.domain()) + ".";
    throw mx::Error(
        fmt::format("operator {}{} is not supported", domain, printable(known.op_type())));
  }
  onnx::shape_inference::GraphInferenceContext graphs(types_, versions_);
  schema->Verify(known);
  require_steps(known);
  require_filters(known, types_);
  onnx::shape_inference::InferenceContextImpl context(known, types_, constants_, no_sparse_,
                                                      nullptr, &graphs);
  if (schema->has_type_and_shape_inference_function()) {
    schema->GetTypeAndShapeInferenceFunction()(context);
  }
  return std::move(context.allOutputTypes_);
}

void OnnxShapes::add(const NodeProto& node) {
  for (const std::string& input : node.input()) {
    if (!input.empty() && types_.count(input) == 0) {
      throw mx::Error(fmt::format("nothing before it computes its input '{}'", printable(input)));
    }
  }
  std::vector<TypeProto> results = inferred(node);
  results.resize(static_cast<std::size_t>(node.output_size()));
  if (node.output_size() == 0) return;
  std::optional<TensorProto> value = evaluate(node, types_, constants_, results[0]);
  for (int i = 0; i < node.output_size(); i++) {
    if (node.output(i).empty()) continue;  // an optional one
    add_value(node.output(i), std::move(results[static_cast<std::size_t>(i)]));
  }
  for (const AttributeProto& one : node.attribute()) {
    if (node.op_type() == "Constant" && one.has_t()) constants_[node.output(0)] = &one.t();
  }
  if (value) constants_[node.output(0)] = &own_constants_.emplace_back(std::move(*value));
}

std::vector<uint64_t> OnnxShapes::sizes(const std::string& value) const {
  const auto found = types_.find(value);
  const auto known = found == types_.end() ? std::nullopt : sizes_of(*found->second);
  if (!known) throw mx::Error(fmt::format("the shape of '{}' cannot be told", printable(value)));
  std::vector<uint64_t> sizes;
  for (const int64_t size : *known) {
    if (size < 1 || static_cast<uint64_t>(size) > kMostElements) {
      throw mx::Error(
          fmt::format("the shape of '{}' has the size {}, but must have sizes from 1 "
                      "to {}",
                      printable(value), size, kMostElements));
    }
    sizes.push_back(static_cast<uint64_t>(size));
  }
  return sizes;
}

}  // namespace mxe::explore
