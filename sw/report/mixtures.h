// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace mxe::report {

/// Packs mixtures by workload: [[workload, {"names": of layers, "pairs": [[A, B], ...], "exact",
/// "mixtures": [{"cycles", ..., "layers": [index into pairs, ...]}, ...]}], ...]. Drops mixtures
/// whose layers have other names than those of the workload's first mixture.
nlohmann::ordered_json pack_mixtures(const std::vector<nlohmann::ordered_json>& mixtures);

}  // namespace mxe::report
