// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace mxe::report {

/// The mixtures of formats by their workloads, short: [[workload, {"names": of layers, "pairs":
/// [[A, B], ...], "exact", "mixtures": [{"cycles", ..., "layers": [the pair's number, ...]},
/// ...]}], ...]. A workload whose mixtures have other layers than its first one keeps those with
/// the first's.
nlohmann::ordered_json pack_mixtures(const std::vector<nlohmann::ordered_json>& mixtures);

}  // namespace mxe::report
