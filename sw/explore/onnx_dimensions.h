// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <set>
#include <string>

#include "sw/explore/run_size.h"

namespace mxe::explore {

/// Gives the open dimensions of a model's inputs their sizes.
class OnnxDimensions {
 public:
  explicit OnnxDimensions(const RunSize& run) : run_(run) {}

  /// Throws mx::Error naming a dimension that no option says, and the option that would.
  void resolve(onnx::ValueInfoProto& input);
  /// After all inputs: throws mx::Error for an option that no dimension wanted.
  void require_all_used() const;
  bool has_sequence() const { return options_.count("--sequence") != 0; }
  bool has_batch() const { return options_.count("--batch") != 0; }

 private:
  uint64_t size_of(const std::string& name, const std::string& input);

  const RunSize& run_;
  std::set<std::string> names_;    // of open dimensions
  std::set<std::string> options_;  // that had an effect
};

}  // namespace mxe::explore
