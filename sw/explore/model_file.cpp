// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/model_file.h"

#include <filesystem>

#include "sw/explore/llama.h"
#include "sw/explore/onnx_model.h"

namespace mxe::explore {
namespace {

bool is_onnx(const std::string& path) {
  return std::filesystem::path(path).extension().string() == ".onnx";
}

}  // namespace

bool is_model(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return is_onnx(path) || extension == ".json" || extension == ".safetensors" ||
         std::filesystem::is_directory(path);
}

Workload read_workload_or_model(const std::string& path, const RunSize& run) {
  if (is_onnx(path)) return read_onnx(path, run);
  return is_model(path) ? read_llama(path, run) : read_workload(path);
}

}  // namespace mxe::explore
