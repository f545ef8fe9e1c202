// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace mxe::explore {

/// Sizes and choices of one run, which a model's file does not contain.
struct RunSize {
  std::optional<uint64_t> batch;               ///< sequences or images; default 1
  std::optional<uint64_t> sequence;            ///< tokens per sequence that this run processes
  std::optional<uint64_t> context;             ///< tokens that they attend to, including themselves
  std::map<std::string, uint64_t> dimensions;  ///< of ONNX models, by name or INPUT:AXIS
  std::optional<std::string> routing;    ///< of experts, for Routing::parse(); default uniform
  std::optional<uint64_t> routing_seed;  ///< default 1
  std::optional<std::string> latent;     ///< absorbed or expanded; default by the phase

  bool empty() const {
    return !batch && !sequence && !context && dimensions.empty() && !has_language_choice();
  }
  bool has_language_choice() const { return routing || routing_seed || latent; }
};

}  // namespace mxe::explore
