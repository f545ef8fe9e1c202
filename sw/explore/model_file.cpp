// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/model_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/shallow_json.h"
#include "sw/explore/model_folder.h"
#include "sw/explore/onnx_model.h"

namespace mxe::explore {
namespace {

bool is_onnx(const std::string& path) {
  return std::filesystem::path(path).extension().string() == ".onnx";
}

// Layers above this take minutes to simulate. Layers of real networks have at most 10^14 MACs.
constexpr double kMostMacs = 281474976710656;  // 2^48

void require_feasible(const Workload& workload, const std::string& path) {
  for (const Layer& layer : workload.layers) {
    const double macs = layer.macs() / static_cast<double>(layer.count);
    if (macs <= kMostMacs) continue;
    throw Error(fmt::format("{}: the layer {} has {:.3g} multiplications, more than {:.3g}", path,
                            printable(layer.name), macs, kMostMacs));
  }
}

}  // namespace

bool is_model(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return is_onnx(path) || extension == ".json" || extension == ".safetensors" ||
         std::filesystem::is_directory(path);
}

Workload read_workload_or_model(const std::string& path, const RunSize& run) {
  if (is_onnx(path) && run.has_language_choice()) {
    throw Error(
        fmt::format("{}: --routing and --latent are for language models, not for ONNX", path));
  }
  Workload workload = is_onnx(path)    ? read_onnx(path, run)
                      : is_model(path) ? read_language_model(path, run)
                                       : read_workload(path);
  if (!numerics::is_utf8(workload.name)) {
    throw Error("the file name, which becomes the workload's name, is not UTF-8: " +
                printable(path));
  }
  require_feasible(workload, path);
  return workload;
}

}  // namespace mxe::explore
