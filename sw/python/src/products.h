// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job/output.h"
#include "sw/python/src/quantized.h"

namespace mxe::python {

/// Throws Error for unknown names and invalid combinations.
job::OutputFormat output_of(const std::string& format, const std::optional<std::string>& rule,
                            const std::optional<std::string>& overflow);

bool is_bf16(const std::string& format);

/// A Python array of numbers, or a Quantized from codes (one per byte) and scales.
nanobind::object result_object(std::vector<uint8_t> bytes, std::vector<uint8_t> scales,
                               const std::vector<std::size_t>& shape,
                               const job::OutputFormat& output);

}  // namespace mxe::python
