// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/explore/run_size.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// The products of an ONNX model's MatMul, Gemm, Conv and ConvTranspose nodes, by node name. Runs
/// Python with the package onnx (python_program()); the model may be untrusted. A MatMul is one
/// product if B is a single matrix, else one per pair of matrices. A Conv of G groups is G
/// products with a row per output pixel. Files of external weights may be missing.
///
/// `run` sets open dimensions of inputs: by name or by INPUT:AXIS from `dimensions`; lengths from
/// the other sizes. Throws Error, one line with `path` and the node, for unsupported products
/// (LSTM, quantized and fused operators), unknown shapes, damaged models, or if onnx is missing.
Workload read_onnx(const std::string& path, const RunSize& run);

/// Parses the output of kOnnxProgram. Throws Error if it reports an error or is malformed.
Workload parse_onnx_answer(const std::string& answer);

}  // namespace mxe::explore
