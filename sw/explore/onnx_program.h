// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mxe::explore {

/// Python program (sw/python/mxe/onnx/_workload.py); its docstring describes input and output.
extern const std::string_view kOnnxProgram;

}  // namespace mxe::explore
