// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/task.h"

#include <fmt/format.h>

#include "sw/explore/area.h"
#include "sw/explore/evaluate.h"

namespace mxe::explore {
namespace {

std::string group_of(const Workload& workload, const Point& point) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {}", workload.name,
                     mx::element_format(point.format_a).name,
                     mx::element_format(point.format_b).name, point.output.name(),
                     point.timing.latency, point.timing.bytes_per_cycle, point.timing.half_duplex,
                     point.ports.reads, point.ports.writes, point.clock_mhz);
}

}  // namespace

std::vector<Task> make_tasks(const std::vector<Point>& points,
                             const std::vector<Workload>& workloads) {
  std::vector<Task> tasks;
  for (const Point& point : points) {
    const double area = AreaTable::shipped().of(point.params).total();
    for (const Workload& workload : workloads) {
      tasks.push_back({&point, &workload, result_id(workload, point), group_of(workload, point),
                       area, lower_bound_cycles(workload, point) / (point.clock_mhz * 1e6)});
    }
  }
  return tasks;
}

}  // namespace mxe::explore
