// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/job/job.h"

namespace mxe::job {

/// Compares two results [M][N] bit by bit; `columns` is N. Returns "" if they are equal, else one
/// line with the number of differing outputs and the first of them.
std::string describe_difference(const std::vector<float>& result,
                                const std::vector<float>& expected, std::size_t columns);
/// Compares stored results: first the values, then the scales, then the bytes.
std::string describe_difference(const StoredOutput& result, const StoredOutput& expected,
                                const JobShape& shape);

}  // namespace mxe::job
