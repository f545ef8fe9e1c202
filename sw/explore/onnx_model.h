// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/explore/run_size.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// The products of an ONNX model's MatMul, Gemm, Conv and ConvTranspose nodes, by node name. Runs
/// Python with the package onnx (python_program()); the model may be untrusted.
///
/// A MatMul is one product of all rows of A if B is a single matrix, else one product for each
/// matrix. A Conv of G groups is G products with a row for each output pixel. Weights in other
/// files (external data) may be missing.
///
/// Open dimensions of inputs are set by `run`: from `dimensions` by name, or by INPUT:AXIS if they
/// have none; batch, sequence, past and total lengths from the other sizes. Throws Error, one
/// line with `path` and the node, for unsupported products (LSTM, quantized and fused operators),
/// unknown shapes and damaged models, and if Python or onnx is missing.
Workload read_onnx(const std::string& path, const RunSize& run);

/// Throws Error if the answer of kOnnxProgram holds an error or is malformed.
Workload parse_onnx_answer(const std::string& answer);

}  // namespace mxe::explore
