// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "sw/explore/sweep.h"

namespace mxe::explore {

/// Runs the slowest layers of `count` points of the fronts (sample_fronts()) on the RTL and
/// compares the cycles. RTL of configurations other than small, base and large is compiled once, in
/// `folder`. Prints a line for each. Returns true if all agree: exactly, except with half-duplex
/// memories. Throws Error if no point is on a front or an engine cannot be built.
bool verify_on_rtl(const std::vector<Outcome>& outcomes, std::size_t count,
                   const std::filesystem::path& folder);

}  // namespace mxe::explore
