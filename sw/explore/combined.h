// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sw/explore/sweep.h"

namespace mxe::explore {

/// How several workloads become one: each counts with its weight, in runs. With weights 10 and 1
/// the time of a point is, by `sum`, that of ten runs of the first and one run of the second; by
/// `worst`, the longer one of ten runs of the first and of one run of the second.
struct Combination {
  enum class Method : uint8_t { sum, worst };
  Method method = Method::sum;
  std::map<std::string, double> weights;  ///< by workload; 1 for those that are not in it

  double weight(const std::string& workload) const {
    const auto found = weights.find(workload);
    return found == weights.end() ? 1 : found->second;
  }
  /// "sum", "worst"
  const char* method_name() const { return method == Method::sum ? "sum" : "worst"; }
};

/// The points that have a result for every workload, with the results combined, and one front of
/// area and time over all workloads.
struct Combined {
  std::vector<Outcome> outcomes;   ///< `workload` is null
  std::vector<std::string> lines;  ///< as in points.jsonl, with a layer for each workload
};
Combined combine(const SweepResult& result, std::size_t workloads, const Combination& how);

}  // namespace mxe::explore
