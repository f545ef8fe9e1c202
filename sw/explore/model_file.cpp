// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/model_file.h"

#include <filesystem>

#include "model/numerics/error.h"
#include "model/numerics/printable.h"
#include "model/numerics/shallow_json.h"
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
  Workload workload = is_onnx(path)    ? read_onnx(path, run)
                      : is_model(path) ? read_llama(path, run)
                                       : read_workload(path);
  if (!mx::is_utf8(workload.name)) {
    throw mx::Error("a workload is called by its file, whose name is not UTF-8: " +
                    mx::printable(path));
  }
  return workload;
}

}  // namespace mxe::explore
