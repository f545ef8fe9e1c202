// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace mxe::explore {

/// The factors that make the sum of factor times feature fit `values` best, in the least squares;
/// `features` has a row for each value. Rows whose index is `left_out` do not count. A feature that
/// the others make up gets the factor 0.
std::vector<double> least_squares(const std::vector<std::vector<double>>& features,
                                  const std::vector<double>& values,
                                  std::size_t left_out = static_cast<std::size_t>(-1));

}  // namespace mxe::explore
