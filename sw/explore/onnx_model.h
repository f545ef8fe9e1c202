// SPDX-License-Identifier: Apache-2.0
// ONNX models as workloads.
#pragma once

#include <cstddef>
#include <string>

#include "sw/explore/run_size.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// The products of an ONNX model: MatMul, Gemm, Conv and ConvTranspose, by the names of its nodes.
///
/// A MatMul whose B is one matrix is one product of all rows of A; otherwise it is one product for
/// each matrix. A Conv of G groups is G products, a row for each output pixel. Operators without
/// products are used for the shapes of what they make; weights may be missing (external data).
///
/// Open dimensions of inputs come from `run`: from `dimensions` by name, INPUT:AXIS if it has none;
/// what is called after batches, sequences, past or all tokens from the other sizes. Throws
/// mx::Error, one line with `name` and the node, for operators whose products are not known here
/// (LSTM, quantized and fused ones), for shapes that cannot be told, and damaged models.
Workload parse_onnx(const void* bytes, std::size_t size, const RunSize& run,
                    const std::string& name);

/// The same of a file, by whose name the workload is called.
Workload read_onnx(const std::string& path, const RunSize& run);

}  // namespace mxe::explore
