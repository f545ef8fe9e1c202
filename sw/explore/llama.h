// SPDX-License-Identifier: Apache-2.0
// Checkpoints of language models that are built like Llama, as Hugging Face stores them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sw/explore/run_size.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// The sizes that a config.json names.
struct LlamaConfig {
  uint64_t layers = 0, width = 0, hidden = 0, vocabulary = 0;
  uint64_t heads = 0, key_heads = 0, head_width = 0;  ///< queries; keys and values; of each
  bool tied = false;    ///< the output layer has the weights of the embedding
  uint64_t window = 0;  ///< tokens that attention looks back at, 0 for all
};

/// The text of a config.json. Throws mx::Error naming the file, and the line of what is no JSON.
LlamaConfig parse_llama_config(std::string_view text, const std::string& name);

/// The files that a model.safetensors.index.json names, each once. Throws mx::Error naming the
/// file.
std::set<std::string> llama_shards(std::string_view text, const std::string& name);

/// Checks the names and shapes of a checkpoint's tensors against its config.json. Throws mx::Error
/// naming the tensor that is missing, has another shape, or belongs to another kind of network.
void check_llama_tensors(const LlamaConfig& config,
                         const std::map<std::string, std::vector<std::size_t>>& shapes,
                         const std::string& name);

/// The products of one run: of a prompt if `run` has no context, of a token for each sequence if it
/// has no `sequence`, of the last tokens of a longer prompt if it has both. The queries that share
/// keys are one product; the output layer looks at the last token of each sequence. Throws
/// mx::Error if it has neither, or what it has is too much.
Workload llama_workload(const LlamaConfig& config, const RunSize& run, const std::string& name);

/// Reads a folder with config.json and, where they are there, .safetensors files, or one of these
/// files; of the weights only the headers.
Workload read_llama(const std::string& path, const RunSize& run);

}  // namespace mxe::explore
