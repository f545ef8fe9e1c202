// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/explore/point.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

struct Task {
  const Point* point;
  const Workload* workload;
  std::string id;
  std::string group;  ///< tasks that compete: same workload, formats, memory and clock
  double area;        ///< gate equivalents, including memories
  double least_seconds;
};

/// Points and workloads must outlive the tasks.
std::vector<Task> make_tasks(const std::vector<Point>& points,
                             const std::vector<Workload>& workloads);

/// True if the first point is at least as good in area and time, and better in one.
inline bool dominates(double area, double seconds, double other_area, double other_seconds) {
  return area <= other_area && seconds <= other_seconds &&
         (area < other_area || seconds < other_seconds);
}

}  // namespace mxe::explore
