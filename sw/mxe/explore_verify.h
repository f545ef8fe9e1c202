// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "sw/explore/sweep.h"

namespace mxe::cli {

/// Runs the costliest layers of points of the fronts, `count` of them, on the RTL and compares the
/// cycles (sample_fronts). RTL of other configurations than small, base and large
/// is compiled in `folder`, once. Prints a line for each; returns whether all agreed: exactly,
/// except with half-duplex memories. Throws mx::Error if there are no points on a front or an
/// engine cannot be built.
bool verify_on_rtl(const std::vector<explore::Outcome>& outcomes, std::size_t count,
                   const std::filesystem::path& folder);

}  // namespace mxe::cli
