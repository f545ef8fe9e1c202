// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "sw/explore/sweep.h"

namespace mxe::explore {

/// Runs the layers of sample_fronts() on model and RTL and prints a line for each. With --build,
/// compiles RTL other than that of small, base and large once, in `folder`. Returns true if all
/// cycles agree (half-duplex memories: within 15 %). Throws Error if no point is on a front or RTL
/// is missing.
bool verify_on_rtl(const std::vector<Outcome>& outcomes, std::size_t count,
                   const std::filesystem::path& folder);

}  // namespace mxe::explore
