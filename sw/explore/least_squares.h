// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace mxe::explore {

/// The least-squares factors for which sums of factor times feature fit `values`; `features` has a
/// row for each value. Ignores row `left_out`. Features that depend on others get factor 0.
std::vector<double> least_squares(const std::vector<std::vector<double>>& features,
                                  const std::vector<double>& values,
                                  std::size_t left_out = static_cast<std::size_t>(-1));

}  // namespace mxe::explore
