// SPDX-License-Identifier: Apache-2.0
// Checkpoints of Llama-like language models in Hugging Face's format.
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
  uint64_t heads = 0, key_heads = 0, head_width = 0;  ///< query heads, key and value heads
  bool tied = false;    ///< the output layer shares the weights of the embedding
  uint64_t window = 0;  ///< tokens that attention covers; 0: no limit
};

/// Parses a config.json. Throws Error, which names the file, and the line of invalid JSON.
LlamaConfig parse_llama_config(std::string_view text, const std::string& name);

/// The files in a model.safetensors.index.json, each once. Throws Error, which names the file.
std::set<std::string> llama_shards(std::string_view text, const std::string& name);

/// Checks the names and shapes of a checkpoint's tensors against its config.json. Throws Error,
/// which names a tensor that is missing, has another shape, or belongs to another kind of network.
void check_llama_tensors(const LlamaConfig& config,
                         const std::map<std::string, std::vector<std::size_t>>& shapes,
                         const std::string& name);

/// The products of one run. Only `sequence`: a prompt. Only `context`: one new token per sequence.
/// Both: the last tokens of a longer prompt. Query heads that share keys are one product. The
/// output layer has a row per sequence. Throws Error if both are missing or too large.
Workload llama_workload(const LlamaConfig& config, const RunSize& run, const std::string& name);

/// Reads config.json in a folder and optional .safetensors headers, or one of these files.
Workload read_llama(const std::string& path, const RunSize& run);

}  // namespace mxe::explore
