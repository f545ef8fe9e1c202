// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sw/explore/run_size.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

struct LlamaConfig {
  uint64_t layers = 0, width = 0, hidden = 0, vocabulary = 0;
  uint64_t heads = 0, key_heads = 0, head_width = 0;  ///< of queries; of keys and of values
  bool tied = false;    ///< the output layer shares the weights of the embedding
  uint64_t window = 0;  ///< tokens that attention covers; 0: no limit
};

/// Parses a config.json. Throws Error with the file's name, and the line of invalid JSON.
LlamaConfig parse_llama_config(std::string_view text, const std::string& name);

/// The files that a model.safetensors.index.json names. Throws Error with the file's name.
std::set<std::string> llama_shards(std::string_view text, const std::string& name);

/// Checks names and shapes of a checkpoint's tensors. Throws Error with the name of a tensor that
/// is missing or misshapen, or of an unexpected matrix *.weight.
void check_llama_tensors(const LlamaConfig& config,
                         const std::map<std::string, std::vector<std::size_t>>& shapes,
                         const std::string& name);

/// The products of one run. `sequence` only: a prompt. `context` only: one new token per sequence.
/// Both: the last `sequence` tokens of a prompt of `context` tokens. Query heads that share keys
/// are one product; the output layer has one row per sequence. Throws Error if both are missing,
/// `context` is below `sequence` or above the window, or a size is too large.
Workload llama_workload(const LlamaConfig& config, const RunSize& run, const std::string& name);

/// `path`: a folder, its config.json or model.safetensors.index.json, or a .safetensors file next
/// to a config.json. Except for config.json, also checks the tensors that it finds.
Workload read_llama(const std::string& path, const RunSize& run);

}  // namespace mxe::explore
