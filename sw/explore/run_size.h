// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace mxe::explore {

/// What the file of a model leaves open: how much one run of it computes.
struct RunSize {
  std::optional<uint64_t> batch;     ///< sequences or images at once; 1 where it is not said
  std::optional<uint64_t> sequence;  ///< tokens a run reads, of each sequence
  std::optional<uint64_t> context;   ///< tokens they look at, themselves included
  std::map<std::string, uint64_t> dimensions;  ///< named dimensions of ONNX models

  bool empty() const { return !batch && !sequence && !context && dimensions.empty(); }
};

}  // namespace mxe::explore
