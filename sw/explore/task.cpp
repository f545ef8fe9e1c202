// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/task.h"

#include "sw/explore/engines.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/rest_times.h"

namespace mxe::explore {

std::vector<Task> make_tasks(const std::vector<Point>& points,
                             const std::vector<Workload>& workloads) {
  std::vector<Task> tasks;
  for (const Point& point : points) {
    const double area = area_of(point).total();
    for (const Workload& workload : workloads) {
      tasks.push_back({&point, &workload, result_id(workload, point),
                       workload.name + " " + text_without_engine(point), area,
                       lower_bound_cycles(workload, point) / (point.clock_mhz * 1e6) +
                           rest_seconds(workload, point)});
    }
  }
  return tasks;
}

}  // namespace mxe::explore
