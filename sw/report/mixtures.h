// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace mxe::report {

/// Packs mixtures of formats by workload: [[workload, {"names": of layers, "pairs": [[A, B], ...],
/// "exact", "mixtures": [{"cycles", ..., "layers": [index into pairs, ...]}, ...]}], ...]. Mixtures
/// with other layers than the workload's first mixture are dropped.
nlohmann::ordered_json pack_mixtures(const std::vector<nlohmann::ordered_json>& mixtures);

}  // namespace mxe::report
