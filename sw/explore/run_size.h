// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace mxe::explore {

/// The sizes of one run, which a model's file leaves open.
struct RunSize {
  std::optional<uint64_t> batch;     ///< sequences or images; default 1
  std::optional<uint64_t> sequence;  ///< tokens of each sequence in a run
  std::optional<uint64_t> context;   ///< tokens that these attend to, including themselves
  std::map<std::string, uint64_t> dimensions;  ///< of ONNX models

  bool empty() const { return !batch && !sequence && !context && dimensions.empty(); }
};

}  // namespace mxe::explore
