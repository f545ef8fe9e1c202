// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/explore/run_size.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// True if products depend on a RunSize: a folder, .json, .safetensors or .onnx; others are CSV.
bool is_model(const std::string& path);

/// Reads a CSV file or a model. Throws Error with the file's name; for CSV also with the line.
Workload read_workload_or_model(const std::string& path, const RunSize& run);

}  // namespace mxe::explore
