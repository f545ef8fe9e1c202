// SPDX-License-Identifier: Apache-2.0
// What nodes of an ONNX model compute of shapes: the numbers that a Reshape, an Expand or a Slice
// takes come from other shapes, by a dozen integer operators.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>
#include <unordered_map>

namespace mxe::explore {

using OnnxConstants = std::unordered_map<std::string, const onnx::TensorProto*>;
using OnnxTypes = std::unordered_map<std::string, onnx::TypeProto*>;

/// The sizes of a type, if all are known.
std::optional<std::vector<int64_t>> sizes_of(const onnx::TypeProto& type);

/// The first result of a node as integers or booleans, if its inputs are constants (for Shape and
/// Size: if their shape is known), the operator is one of those, and `result` has a known, small
/// shape.
std::optional<onnx::TensorProto> evaluate(const onnx::NodeProto& node, const OnnxTypes& types,
                                          const OnnxConstants& constants,
                                          const onnx::TypeProto& result);

}  // namespace mxe::explore
