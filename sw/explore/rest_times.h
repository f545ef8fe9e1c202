// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/explore/point.h"
#include "sw/explore/rest.h"
#include "sw/explore/results.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// Times of the rest of a run on the point's vector unit: the kinds one after the other, each as
/// long as its operations in the lanes or its bytes, whichever takes longer.
struct RestTimes {
  struct Kind {
    RestKind kind;
    double operations = 0, bytes = 0, seconds = 0;
    bool bound_by_lanes = false;
  };
  /// Estimate: seconds that remain and vanish if the engine does this work while it stores results
  /// or loads A.
  struct Fused {
    RestKind kind;
    double saved_seconds = 0;
  };
  std::vector<Kind> kinds;  ///< without those that the model does not have
  std::vector<Fused> fused;
  double seconds = 0;

  double fused_seconds() const;
};

/// Requires point.vector and a workload with a rest.
RestTimes rest_times(const Workload& workload, const Point& point);

/// 0 without a vector unit.
double rest_seconds(const Workload& workload, const Point& point);

/// Text of the counts, for ids of results.
std::string rest_text(const Workload& workload);

/// `products_seconds` and `rest` of a record. `seconds`: products and rest.
Record rest_record(const RestTimes& times, const Workload& workload, double seconds);

}  // namespace mxe::explore
