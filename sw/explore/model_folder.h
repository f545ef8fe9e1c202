// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sw/explore/language_model.h"

namespace mxe::explore {

/// The files that a model.safetensors.index.json names. Throws Error with the file's name.
std::set<std::string> model_shards(std::string_view text, const std::string& name);

/// Checks names and shapes of a checkpoint's tensors, if the model has known ones. Throws Error
/// with the name of a tensor that is missing or misshapen, or of an unexpected matrix *.weight.
void check_model_tensors(const LanguageModel& model,
                         const std::map<std::string, std::vector<std::size_t>>& shapes,
                         const std::string& name);

/// `path`: a folder, its config.json or model.safetensors.index.json, or a .safetensors file next
/// to a config.json. Except for config.json, also checks the tensors that it finds.
Workload read_language_model(const std::string& path, const RunSize& run);

}  // namespace mxe::explore
