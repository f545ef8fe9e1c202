// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/onnx_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "sw/explore/onnx_program.h"
#include "sw/explore/python.h"

namespace mxe::explore {
namespace {

using Json = nlohmann::json;

std::string options_of(const RunSize& run) {
  Json options = Json::object();
  if (run.batch) options["batch"] = *run.batch;
  if (run.sequence) options["sequence"] = *run.sequence;
  if (run.context) options["context"] = *run.context;
  if (!run.dimensions.empty()) options["dimensions"] = run.dimensions;
  return options.dump(-1, ' ', true, Json::error_handler_t::replace);
}

uint64_t size_of(const Json& value) {
  const uint64_t size = value.is_number_unsigned() ? value.get<uint64_t>() : 0;
  if (size == 0 || size > kMostElements) {
    throw Error(fmt::format("Python returned an invalid size; allowed: 1 to {}", kMostElements));
  }
  return size;
}

Layer layer_of(const Json& value) {
  Layer layer;
  layer.name = value.at(0).get<std::string>();
  layer.m = size_of(value.at(1));
  layer.n = size_of(value.at(2));
  layer.k = size_of(value.at(3));
  layer.count = size_of(value.at(4));
  return layer;
}

}  // namespace

Workload parse_onnx_answer(const std::string& answer) {
  Workload workload;
  std::string error;
  try {
    const Json json = Json::parse(answer);
    error = json.value("error", "");
    if (error.empty()) {
      for (const Json& layer : json.at("layers")) workload.layers.push_back(layer_of(layer));
      if (json.contains("items")) {
        workload.items = size_of(json["items"]);
        workload.item_name = json.at("item_name").get<std::string>();
      }
    }
  } catch (const Json::exception&) {
    error = "Python's answer does not have the expected form";
  }
  if (!error.empty()) throw Error(printable(error, kLongestMessage));
  if (workload.layers.empty()) throw Error("no products of matrices");
  return workload;
}

Workload read_onnx(const std::string& path, const RunSize& run) {
  try {
    Workload workload =
        parse_onnx_answer(run_python(std::string(kOnnxProgram), {path, options_of(run)}));
    workload.name = std::filesystem::path(path).stem().string();
    return workload;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", printable(path), error.what()));
  }
}

}  // namespace mxe::explore
