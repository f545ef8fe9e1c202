// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/engines.h"

#include <algorithm>

#include "model/job/split.h"

namespace mxe::explore {
namespace {

constexpr job::SplitAxis kAxis = job::SplitAxis::n;

/// The parts of a product, and the point as one of the engines sees it.
struct Shares {
  std::vector<job::JobShape> parts;
  Point point;
};

Shares shares_of(const job::JobShape& shape, const Point& point) {
  const auto engines = static_cast<unsigned>(
      std::min<std::size_t>(point.engines, job::most_parts(shape, kAxis, point.params)));
  Shares shares{job::split_job(shape, kAxis, engines, point.params), point};
  shares.point.engines = 1;
  shares.point.timing.bytes_per_cycle = memory_rate(point) / engines;
  return shares;
}

JobTimes times_alone(const job::JobShape& shape, const Point& point, TimedJobs& jobs) {
  return jobs.times({shape, point.params, point.timing, point.ports, point.dram});
}

// The parts differ by one tile, so one with the most columns is the slowest.
const job::JobShape& widest(const std::vector<job::JobShape>& parts) {
  return *std::max_element(
      parts.begin(), parts.end(),
      [](const job::JobShape& one, const job::JobShape& other) { return one.n < other.n; });
}

}  // namespace

Area area_of(const Point& point) {
  Area area = AreaTable::shipped().of(point.params);
  area.gate_equivalents *= point.engines;
  area.sram_kib *= point.engines;
  return area;
}

JobTimes product_times(const job::JobShape& shape, const Point& point, TimedJobs& jobs) {
  if (point.engines == 1) return times_alone(shape, point, jobs);
  const Shares shares = shares_of(shape, point);
  JobTimes slowest;
  uint64_t read = 0, written = 0;
  for (const job::JobShape& part : shares.parts) {
    const JobTimes times = times_alone(part, shares.point, jobs);
    read += times.counters.bytes_read;
    written += times.counters.bytes_written;
    if (times.cycles > slowest.cycles) slowest = times;
  }
  slowest.counters.bytes_read = read;
  slowest.counters.bytes_written = written;
  return slowest;
}

uint64_t product_lower_bound(const job::JobShape& shape, const Point& point) {
  if (point.engines == 1) return lower_bound_cycles(shape, point);
  const Shares shares = shares_of(shape, point);
  return lower_bound_cycles(widest(shares.parts), shares.point);
}

Limit product_limit(const job::JobShape& shape, const Point& point, const JobTimes& times) {
  const auto cycles = static_cast<double>(times.cycles);
  const auto read = static_cast<double>(times.counters.bytes_read);
  const auto written = static_cast<double>(times.counters.bytes_written);
  if (point.engines == 1) return limit_of(shape, point, cycles, read, written);
  const Shares shares = shares_of(shape, point);
  const auto engines = static_cast<double>(shares.parts.size());
  return limit_of(widest(shares.parts), shares.point, cycles, read / engines, written / engines);
}

}  // namespace mxe::explore
