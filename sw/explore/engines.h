// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/job/job.h"
#include "sw/explore/area.h"
#include "sw/explore/lower_bound.h"
#include "sw/explore/point.h"
#include "sw/explore/timed_jobs.h"

namespace mxe::explore {

/// Gate equivalents and memories of all engines of the point, without their interconnect.
Area area_of(const Point& point);

/// Cycles and counters of a product on the point's engines. Several engines split its columns
/// (job::split_job); each is timed alone, with an equal part of the memory's bandwidth, and the
/// slowest determines the cycles. If there are fewer tiles of columns than engines, the others are
/// idle. Bytes are those of all engines, other counters those of the slowest one.
JobTimes product_times(const job::JobShape& shape, const Point& point, TimedJobs& jobs);

/// No product_times() are below: lower_bound_cycles() of the slowest engine.
uint64_t product_lower_bound(const job::JobShape& shape, const Point& point);

/// limit_of() for the slowest engine.
Limit product_limit(const job::JobShape& shape, const Point& point, const JobTimes& times);

}  // namespace mxe::explore
