// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

namespace mxe::report {

/// Keeps the layers of the first points, points on a front first, up to `most` layers in all.
/// Returns the number of points whose layers were removed.
std::size_t limit_layers(std::vector<nlohmann::ordered_json>& points, std::size_t most);

/// Replaces each layer by an array: the index of its properties in "common", its figures in the
/// order of "figures", its stalls in the order of "stalls". Returns {"common", "figures",
/// "stalls"}, with which page/data.js restores the layers.
nlohmann::ordered_json pack_layers(std::vector<nlohmann::ordered_json>& points);

}  // namespace mxe::report
