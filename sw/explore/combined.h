// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sw/explore/sweep.h"

namespace mxe::explore {

/// Combines the times of workloads. Example: A takes 2 ms and has weight 10, B takes 5 ms and has
/// weight 1. `sum` gives 2 * 10 + 5 * 1 = 25 ms; `worst` gives max(20, 5) = 20 ms. Both add
/// energies.
struct Combination {
  enum class Method : uint8_t { sum, worst };
  Method method = Method::sum;
  std::map<std::string, double> weights;  ///< by workload; default 1

  double weight(const std::string& workload) const {
    const auto found = weights.find(workload);
    return found == weights.end() ? 1 : found->second;
  }
  const char* method_name() const { return method == Method::sum ? "sum" : "worst"; }
};

/// The points that have a result for every workload, with the fronts of area and time marked.
struct Combined {
  std::vector<Outcome> outcomes;  ///< `workload` is null
  std::vector<Record> records;    ///< as in points.jsonl, with one layer for each workload
};
Combined combine(const SweepResult& result, std::size_t workloads, const Combination& how);

}  // namespace mxe::explore
