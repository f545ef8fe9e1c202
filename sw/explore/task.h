// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/explore/point.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// A point with a workload.
struct Task {
  const Point* point;
  const Workload* workload;
  std::string id;
  std::string group;  ///< of tasks that compete: workload, formats, memory and clock are the same
  double area;        ///< gate equivalents, memories included
  double least_seconds;  ///< by the lower bound
};

/// Every point with every workload, which both must outlive the tasks.
std::vector<Task> make_tasks(const std::vector<Point>& points,
                             const std::vector<Workload>& workloads);

/// Whether something of that area and those seconds makes another one superfluous.
inline bool dominates(double area, double seconds, double other_area, double other_seconds) {
  return area <= other_area && seconds <= other_seconds &&
         (area < other_area || seconds < other_seconds);
}

}  // namespace mxe::explore
