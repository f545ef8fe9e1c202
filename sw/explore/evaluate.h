// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sw/explore/job_timer.h"
#include "sw/explore/point.h"
#include "sw/explore/results.h"
#include "sw/explore/timed_jobs.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

job::JobShape job_of(const Layer& layer, const Point& point);

/// Throws LimitError unless the engine multiplies the formats of all layers.
void require_pairs(const Workload& workload, const Point& point);

/// The times of one run of each layer. Jobs in `jobs` are not simulated again.
std::vector<JobTimes> time_layers(const Workload& workload, const Point& point, TimedJobs& jobs);

/// In cycles.
double lower_bound_cycles(const Workload& workload, const Point& point);

/// A cache key for the times, and the times as text.
std::string times_key(const Workload& workload, const Point& point);
std::string to_text(const std::vector<JobTimes>& times);
/// The inverse; nullopt unless `text` holds this number of layers.
std::optional<std::vector<JobTimes>> times_of(const std::string& text, std::size_t layers);

std::string result_id(const Workload& workload, const Point& point);

/// A line of points.jsonl (docs/exploration.md).
Record to_record(const Workload& workload, const Point& point, const std::vector<JobTimes>& times);

/// Value of `pareto`: no smaller engine with the same formats, memory and workload is faster.
inline constexpr const char* kFront = "area-latency";

/// Version of points.jsonl.
inline constexpr int kRecordVersion = 2;

}  // namespace mxe::explore
