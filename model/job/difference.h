// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/job/job.h"

namespace mxe {

/// Where two results differ: empty if they are the same in every bit, else one line about how many
/// outputs differ and which is the first. `columns` is N.
std::string describe_difference(const std::vector<float>& result,
                                const std::vector<float>& expected, std::size_t columns);
/// The same for stored results. Every byte counts, also where the values agree.
std::string describe_difference(const StoredOutput& result, const StoredOutput& expected,
                                const JobShape& shape);

}  // namespace mxe
