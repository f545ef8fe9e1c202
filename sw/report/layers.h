// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

namespace mxe::report {

/// Removes all layers of some points so that at most `most` layers remain in all; points on a front
/// have priority. Returns the number of points that lost theirs.
std::size_t limit_layers(std::vector<nlohmann::ordered_json>& points, std::size_t most);

/// Replaces each layer by an array: an index into "common", then figures in the order of "figures"
/// and stalls in the order of "stalls". Returns these three lists (page/data.js unpacks).
nlohmann::ordered_json pack_layers(std::vector<nlohmann::ordered_json>& points);

}  // namespace mxe::report
