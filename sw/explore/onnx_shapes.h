// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "sw/explore/onnx_constants.h"

namespace mxe::explore {

/// The shapes of everything that a graph computes, node by node, by the rules of the library onnx.
/// What shapes depend on, small integers, is computed here. Keeps pointers into the model.
class OnnxShapes {
 public:
  /// The versions of the model's operator sets and the types of inputs and initializers.
  explicit OnnxShapes(const onnx::ModelProto& model);

  /// Adds the results of a node whose inputs are known. Throws mx::Error, or what the library
  /// throws, without the name of the node, for operators that are not known and shapes that
  /// contradict each other.
  void add(const onnx::NodeProto& node);

  /// The sizes of a value. Throws mx::Error if they cannot be told.
  std::vector<uint64_t> sizes(const std::string& value) const;

 private:
  void add_value(const std::string& name, onnx::TypeProto type);
  void add_initializer(const onnx::TensorProto& tensor);
  std::vector<onnx::TypeProto> inferred(const onnx::NodeProto& node);
  onnx::NodeProto as_known(const onnx::NodeProto& node) const;

  int version_ = 0;  // of the operators
  std::unordered_map<std::string, int> versions_;
  std::deque<onnx::TypeProto> own_types_;
  std::deque<onnx::TensorProto> own_constants_;
  OnnxTypes types_;
  OnnxConstants constants_;
  const std::unordered_map<std::string, const onnx::SparseTensorProto*> no_sparse_;
};

}  // namespace mxe::explore
