// SPDX-License-Identifier: Apache-2.0
// What products on the reference and on an engine have in common: operands, forms of results.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job/output.h"
#include "model/numerics/tensor.h"
#include "sw/python/src/quantized.h"

namespace mxe::python {

/// All matrices of an operand, one below the other, K along their rows. `k_last` says whether K is
/// the last axis or the one before. Throws mx::Error for what the engine cannot multiply.
mx::MxTensor rows_of(const Quantized& operand, bool k_last, const char* name);

/// Throws mx::Error for names that do not exist or do not go together.
OutputFormat output_of(const std::string& format, const std::optional<std::string>& rule,
                       const std::optional<std::string>& overflow);

/// Whether this bias format is BF16; throws mx::Error for anything but fp32 and bf16.
bool is_bf16(const std::string& format);

/// Results [shape] as Python has them: an array of numbers, given as their bytes, or a Quantized of
/// codes, one a byte, and scales.
nanobind::object result_object(std::vector<uint8_t> bytes, std::vector<uint8_t> scales,
                               const std::vector<std::size_t>& shape, const OutputFormat& output);

}  // namespace mxe::python
