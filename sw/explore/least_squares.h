// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace mxe::explore {

/// Returns factors so that the sum of factor times feature approximates the value of each row of
/// `features`. Ignores row `left_out`. A feature that depends linearly on those before it
/// has factor 0.
std::vector<double> least_squares(const std::vector<std::vector<double>>& features,
                                  const std::vector<double>& values,
                                  std::size_t left_out = static_cast<std::size_t>(-1));

}  // namespace mxe::explore
