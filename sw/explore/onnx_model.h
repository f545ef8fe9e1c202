// SPDX-License-Identifier: Apache-2.0
// ONNX models as workloads.
#pragma once

#include <string>

#include "sw/explore/run_size.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// The products of an ONNX model: MatMul, Gemm, Conv and ConvTranspose, by the names of its nodes.
/// Python with the package onnx finds them (python_program()); the model need not be trusted.
///
/// A MatMul whose B is one matrix is one product of all rows of A; otherwise it is one product for
/// each matrix. A Conv of G groups is G products, a row for each output pixel. Operators without
/// products are used for the shapes of what they make; weights may be missing (external data).
///
/// Open dimensions of inputs come from `run`: from `dimensions` by name, INPUT:AXIS if it has none;
/// batch, sequence, past and total lengths from the other sizes. Throws mx::Error, one line with
/// `path` and the node, for operators whose products are not known here (LSTM, quantized and fused
/// ones), for shapes that cannot be told, damaged models, and if Python or onnx is missing.
Workload read_onnx(const std::string& path, const RunSize& run);

/// The layers and items of an answer of kOnnxProgram. Throws mx::Error if it has an error, or is
/// none.
Workload parse_onnx_answer(const std::string& answer);

}  // namespace mxe::explore
