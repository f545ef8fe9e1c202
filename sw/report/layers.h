// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

namespace mxe::report {

/// Takes away the layers of points beyond the first that have `most` layers together, so that a
/// page of many points stays small; points on a front come first. Returns how many points lost
/// them.
std::size_t limit_layers(std::vector<nlohmann::ordered_json>& points, std::size_t most);

/// Makes each layer of the points an array: the number of what it has in common with the same layer
/// of other points, then its figures in the order of `figures`, then its stalls in the order of
/// `stalls`. Returns {"common", "figures", "stalls"}, which page/data.js undoes it with.
nlohmann::ordered_json pack_layers(std::vector<nlohmann::ordered_json>& points);

}  // namespace mxe::report
