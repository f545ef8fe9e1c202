// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/explore/run_size.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// True for models, whose products depend on a RunSize: a folder, or a file that ends in
/// .json, .safetensors or .onnx. Other files are CSV.
bool is_model(const std::string& path);

/// Reads a workload of any kind. Throws Error, which names the file and the place in it.
Workload read_workload_or_model(const std::string& path, const RunSize& run);

}  // namespace mxe::explore
