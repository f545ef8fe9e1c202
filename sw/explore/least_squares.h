// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace mxe::explore {

/// The factors for which the sums of factor times feature fit `values` best in least squares;
/// `features` has a row for each value. Row `left_out` is ignored. A feature that depends linearly
/// on others gets factor 0.
std::vector<double> least_squares(const std::vector<std::vector<double>>& features,
                                  const std::vector<double>& values,
                                  std::size_t left_out = static_cast<std::size_t>(-1));

}  // namespace mxe::explore
