// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/onnx_constants.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

namespace mxe::explore {
namespace {

using onnx::AttributeProto;
using onnx::NodeProto;
using onnx::TensorProto;
using Integers = std::vector<int64_t>;

constexpr int64_t kMostValues = 1 << 16;  // shapes are short

struct Values {
  Integers dims, values;
};

// Of how many values `dims` are, if that is not too many.
std::optional<std::size_t> volume(const Integers& dims) {
  int64_t count = 1;
  for (const int64_t size : dims) {
    if (size < 0 || size > kMostValues) return {};
    count *= size;
    if (count > kMostValues) return {};
  }
  return static_cast<std::size_t>(count);
}

template <typename T>
Integers from_raw(const std::string& raw) {
  Integers values(raw.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); i++) {
    T value;
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    values[i] = value;
  }
  return values;
}

std::optional<Values> values_of(const TensorProto& tensor) {
  Values result;
  result.dims.assign(tensor.dims().begin(), tensor.dims().end());
  switch (tensor.data_type()) {
    case TensorProto::INT64:
      result.values = tensor.has_raw_data()
                          ? from_raw<int64_t>(tensor.raw_data())
                          : Integers(tensor.int64_data().begin(), tensor.int64_data().end());
      break;
    case TensorProto::INT32:
      result.values = tensor.has_raw_data()
                          ? from_raw<int32_t>(tensor.raw_data())
                          : Integers(tensor.int32_data().begin(), tensor.int32_data().end());
      break;
    case TensorProto::BOOL:
      result.values = tensor.has_raw_data()
                          ? from_raw<uint8_t>(tensor.raw_data())
                          : Integers(tensor.int32_data().begin(), tensor.int32_data().end());
      break;
    default:
      return {};
  }
  if (volume(result.dims) != result.values.size()) return {};
  return result;
}

TensorProto tensor_of(const Values& values, int type) {
  TensorProto tensor;
  tensor.set_data_type(type);
  for (const int64_t size : values.dims) tensor.add_dims(size);
  for (const int64_t value : values.values) {
    if (type == TensorProto::INT64) {
      tensor.add_int64_data(value);
    } else {
      tensor.add_int32_data(static_cast<int32_t>(value));
    }
  }
  return tensor;
}

const AttributeProto* attribute_of(const NodeProto& node, const char* name) {
  for (const AttributeProto& one : node.attribute()) {
    if (one.name() == name) return &one;
  }
  return nullptr;
}

int64_t integer_of(const NodeProto& node, const char* name, int64_t other) {
  const AttributeProto* found = attribute_of(node, name);
  return found == nullptr ? other : found->i();
}

// Where in an operand the value for position `at` of the result stands, by NumPy's broadcasting.
std::size_t broadcast_index(std::size_t at, const Integers& result, const Integers& operand) {
  std::size_t index = 0, stride = 1;
  for (std::size_t i = 0; i < result.size(); i++) {
    const auto size = static_cast<std::size_t>(result[result.size() - 1 - i]);
    const std::size_t coordinate = at % size;
    at /= size;
    if (i >= operand.size()) break;
    const auto own = static_cast<std::size_t>(operand[operand.size() - 1 - i]);
    if (own != 1) index += coordinate * stride;
    stride *= own;
  }
  return index;
}

// Whether an operand can be broadcast to the result.
bool fits(const Integers& result, const Integers& operand) {
  if (operand.size() > result.size()) return false;
  for (std::size_t i = 0; i < operand.size(); i++) {
    const int64_t own = operand[operand.size() - 1 - i];
    if (own != 1 && own != result[result.size() - 1 - i]) return false;
  }
  return true;
}

using Wide = uint64_t;  // wraps around
using Elementwise = std::function<std::optional<int64_t>(const Integers&)>;

std::optional<int64_t> quotient(const Integers& x) {
  if (x[1] == 0 || (x[1] == -1 && x[0] == std::numeric_limits<int64_t>::min())) return {};
  return x[0] / x[1];
}

template <typename Function>
Elementwise binary(Function function) {
  return [function](const Integers& x) -> std::optional<int64_t> {
    return static_cast<int64_t>(function(x[0], x[1]));
  };
}

struct Operator {
  std::size_t operands;
  Elementwise function;
};

const std::map<std::string, Operator>& elementwise_operators() {
  static const std::map<std::string, Operator> operators = {
      {"Add", {2, binary([](int64_t a, int64_t b) { return Wide(a) + Wide(b); })}},
      {"Sub", {2, binary([](int64_t a, int64_t b) { return Wide(a) - Wide(b); })}},
      {"Mul", {2, binary([](int64_t a, int64_t b) { return Wide(a) * Wide(b); })}},
      {"Div", {2, quotient}},
      {"Min", {2, binary([](int64_t a, int64_t b) { return std::min(a, b); })}},
      {"Max", {2, binary([](int64_t a, int64_t b) { return std::max(a, b); })}},
      {"Equal", {2, binary(std::equal_to<>())}},
      {"Less", {2, binary(std::less<>())}},
      {"Greater", {2, binary(std::greater<>())}},
      {"LessOrEqual", {2, binary(std::less_equal<>())}},
      {"GreaterOrEqual", {2, binary(std::greater_equal<>())}},
      {"And", {2, binary(std::logical_and<>())}},
      {"Or", {2, binary(std::logical_or<>())}},
      {"Not", {1, [](const Integers& x) { return std::optional<int64_t>(x[0] == 0); }}},
      {"Neg",
       {1,
        [](const Integers& x) {
          return std::optional<int64_t>(static_cast<int64_t>(-Wide(x[0])));
        }}},
      {"Where",
       {3, [](const Integers& x) { return std::optional<int64_t>(x[0] != 0 ? x[1] : x[2]); }}}};
  return operators;
}

bool elementwise(const Operator& op, const std::vector<Values>& inputs, Values& result) {
  if (inputs.size() != op.operands) return false;
  for (const Values& input : inputs) {
    if (!fits(result.dims, input.dims)) return false;
  }
  for (std::size_t at = 0; at < result.values.size(); at++) {
    Integers operands;
    for (const Values& input : inputs) {
      operands.push_back(input.values[broadcast_index(at, result.dims, input.dims)]);
    }
    const std::optional<int64_t> value = op.function(operands);
    if (!value) return false;
    result.values[at] = *value;
  }
  return true;
}

// The product of the sizes from one axis to another.
std::size_t span(const Integers& dims, std::size_t begin, std::size_t end) {
  std::size_t product = 1;
  for (std::size_t i = begin; i < end; i++) product *= static_cast<std::size_t>(dims[i]);
  return product;
}

std::optional<std::size_t> axis_of(const NodeProto& node, std::size_t rank) {
  const auto ranks = static_cast<int64_t>(rank);
  const int64_t axis = integer_of(node, "axis", 0);
  if (axis < -ranks || axis >= ranks) return {};
  return static_cast<std::size_t>(axis < 0 ? axis + ranks : axis);
}

bool gather(const NodeProto& node, const std::vector<Values>& inputs, Values& result) {
  if (inputs.size() != 2) return false;
  const Values &data = inputs[0], &indices = inputs[1];
  const std::optional<std::size_t> axis = axis_of(node, data.dims.size());
  if (!axis) return false;
  const int64_t length = data.dims[*axis];
  const std::size_t inner = span(data.dims, *axis + 1, data.dims.size());
  const std::size_t outer = span(data.dims, 0, *axis);
  Integers values;
  for (std::size_t block = 0; block < outer; block++) {
    for (int64_t index : indices.values) {
      if (index < -length || index >= length) return false;
      if (index < 0) index += length;
      const auto from =
          data.values.begin() +
          static_cast<long>(
              (block * static_cast<std::size_t>(length) + static_cast<std::size_t>(index)) * inner);
      values.insert(values.end(), from, from + static_cast<long>(inner));
      if (values.size() > kMostValues) return false;
    }
  }
  result.values = std::move(values);
  return true;
}

bool concatenate(const NodeProto& node, const std::vector<Values>& inputs, Values& result) {
  const std::optional<std::size_t> axis = axis_of(node, result.dims.size());
  if (!axis) return false;
  const std::size_t outer = span(result.dims, 0, *axis);
  Integers values;
  for (std::size_t block = 0; block < outer; block++) {
    for (const Values& input : inputs) {
      if (input.dims.size() != result.dims.size() || span(input.dims, 0, *axis) != outer) {
        return false;
      }
      const auto length = static_cast<long>(span(input.dims, *axis, input.dims.size()));
      const auto from = input.values.begin() + static_cast<long>(block) * length;
      values.insert(values.end(), from, from + length);
    }
  }
  result.values = std::move(values);
  return true;
}

// Of lists: data, starts, ends, axes, steps.
bool slice(const std::vector<Values>& inputs, Values& result) {
  if (inputs.size() < 3 || inputs[0].dims.size() != 1) return false;
  for (std::size_t i = 1; i < inputs.size(); i++) {
    if (inputs[i].values.size() != 1) return false;
  }
  const auto length = static_cast<int64_t>(inputs[0].values.size());
  const int64_t step = inputs.size() > 4 ? inputs[4].values[0] : 1;
  if (step < 1 || step > kMostValues) return false;
  const auto clamped = [length](int64_t index) {
    return std::clamp<int64_t>(index < 0 ? std::max(index, -length) + length : index, 0, length);
  };
  Integers values;
  for (int64_t i = clamped(inputs[1].values[0]); i < clamped(inputs[2].values[0]); i += step) {
    values.push_back(inputs[0].values[static_cast<std::size_t>(i)]);
  }
  result.values = std::move(values);
  return true;
}

bool same_values(const std::string& op) {
  for (const char* known : {"Reshape", "Squeeze", "Unsqueeze", "Identity", "Flatten"}) {
    if (op == known) return true;
  }
  return false;
}

bool cast(const Values& input, int type, Values& result) {
  result.values = input.values;
  for (int64_t& value : result.values) {
    if (type == TensorProto::BOOL) value = value != 0;
    // As C does; nobody casts a size that does not fit.
    if (type == TensorProto::INT32) value = static_cast<int32_t>(value);
  }
  return true;
}

// The values of `result`, whose dims are there, false if they are not known.
bool compute(const NodeProto& node, const std::vector<Values>& inputs, int type, Values& result) {
  const std::string& op = node.op_type();
  const auto found = elementwise_operators().find(op);
  if (found != elementwise_operators().end()) return elementwise(found->second, inputs, result);
  if (op == "Gather") return gather(node, inputs, result);
  if (op == "Concat") return concatenate(node, inputs, result);
  if (op == "Slice") return slice(inputs, result);
  if (inputs.empty()) return false;
  if (op == "Cast") return cast(inputs[0], type, result);
  if (same_values(op)) {
    result.values = inputs[0].values;
    return true;
  }
  if (op == "Expand") {
    const Operator copy{1, [](const Integers& x) { return std::optional<int64_t>(x[0]); }};
    return elementwise(copy, {inputs[0]}, result);
  }
  if (op == "Range" && inputs.size() == 3 && inputs[0].values.size() == 1 &&
      inputs[2].values.size() == 1) {
    for (std::size_t i = 0; i < result.values.size(); i++) {
      result.values[i] =
          static_cast<int64_t>(Wide(inputs[0].values[0]) + Wide(i) * Wide(inputs[2].values[0]));
    }
    return true;
  }
  if (op == "ReduceProd" && inputs[0].dims.size() == 1 && result.values.size() == 1) {
    Wide product = 1;
    for (const int64_t value : inputs[0].values) product *= Wide(value);
    result.values[0] = static_cast<int64_t>(product);
    return true;
  }
  if (op == "ConstantOfShape") {
    const AttributeProto* value = attribute_of(node, "value");
    const std::optional<Values> filler = value == nullptr ? std::nullopt : values_of(value->t());
    if (!filler || filler->values.size() != 1) return false;
    std::fill(result.values.begin(), result.values.end(), filler->values[0]);
    return true;
  }
  return false;
}

std::optional<Values> shape_or_size(const NodeProto& node, const OnnxTypes& types) {
  const auto found = types.find(node.input(0));
  if (found == types.end()) return {};
  const std::optional<Integers> sizes = sizes_of(*found->second);
  if (!sizes) return {};
  if (node.op_type() == "Size") {
    Wide product = 1;
    for (const int64_t size : *sizes) product *= Wide(size);
    return Values{{}, {static_cast<int64_t>(product)}};
  }
  const auto rank = static_cast<int64_t>(sizes->size());
  const auto position = [&](const char* name, int64_t other) {
    const int64_t at = integer_of(node, name, other);
    return std::clamp<int64_t>(at < 0 ? std::max(at, -rank) + rank : at, 0, rank);
  };
  const int64_t begin = position("start", 0), end = std::max(begin, position("end", rank));
  return Values{{end - begin}, Integers(sizes->begin() + begin, sizes->begin() + end)};
}

// A Constant node's value in any of its spellings.
std::optional<Values> constant_node(const NodeProto& node) {
  if (const AttributeProto* tensor = attribute_of(node, "value")) return values_of(tensor->t());
  if (const AttributeProto* one = attribute_of(node, "value_int")) return Values{{}, {one->i()}};
  if (const AttributeProto* list = attribute_of(node, "value_ints")) {
    return Values{{list->ints_size()}, Integers(list->ints().begin(), list->ints().end())};
  }
  return {};
}

}  // namespace

std::optional<std::vector<int64_t>> sizes_of(const onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return {};
  std::vector<int64_t> sizes;
  for (const auto& dimension : type.tensor_type().shape().dim()) {
    if (!dimension.has_dim_value() || dimension.dim_value() < 0) return {};
    sizes.push_back(dimension.dim_value());
  }
  return sizes;
}

std::optional<onnx::TensorProto> evaluate(const onnx::NodeProto& node, const OnnxTypes& types,
                                          const OnnxConstants& constants,
                                          const onnx::TypeProto& result) {
  const int type = result.tensor_type().elem_type();
  if (type != TensorProto::INT64 && type != TensorProto::INT32 && type != TensorProto::BOOL) {
    return {};
  }
  std::optional<Values> known;
  if (node.op_type() == "Constant") {
    known = constant_node(node);
  } else if ((node.op_type() == "Shape" || node.op_type() == "Size") && node.input_size() == 1) {
    known = shape_or_size(node, types);
  } else {
    const std::optional<Integers> dims = sizes_of(result);
    const std::optional<std::size_t> count = dims ? volume(*dims) : std::nullopt;
    if (!count) return {};
    std::vector<Values> inputs;
    for (const std::string& name : node.input()) {
      const auto constant = constants.find(name);
      std::optional<Values> values =
          constant == constants.end() ? std::nullopt : values_of(*constant->second);
      if (!values) return {};
      inputs.push_back(std::move(*values));
    }
    known = Values{*dims, Integers(*count)};
    // A shape that is not that of the values is a model that contradicts itself.
    if (!compute(node, inputs, type, *known) || known->values.size() != *count) return {};
  }
  if (!known) return {};
  return tensor_of(*known, type);
}

}  // namespace mxe::explore
