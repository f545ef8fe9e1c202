// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/model_file.h"

#include <filesystem>

#include "sw/explore/llama.h"

namespace mxe::explore {

bool is_model(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".json" || extension == ".safetensors" || std::filesystem::is_directory(path);
}

Workload read_workload_or_model(const std::string& path, const RunSize& run) {
  return is_model(path) ? read_llama(path, run) : read_workload(path);
}

}  // namespace mxe::explore
