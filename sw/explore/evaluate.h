// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sw/explore/job_timer.h"
#include "sw/explore/point.h"
#include "sw/explore/timed_jobs.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// The job that a layer is on an engine.
JobShape job_of(const Layer& layer, const Point& point);

/// Whether such an engine multiplies the formats of all layers; throws mx::Error if not.
void require_pairs(const Workload& workload, const Point& point);

/// What one run of each layer takes. What `jobs` knows is not timed again.
std::vector<JobTimes> time_layers(const Workload& workload, const Point& point, TimedJobs& jobs);

/// The least that a run of the workload takes, in cycles (lower_bound_cycles).
double lower_bound_cycles(const Workload& workload, const Point& point);

/// The same as texts for a cache: what the times depend on, and the times.
std::string times_key(const Workload& workload, const Point& point);
std::string to_text(const std::vector<JobTimes>& times);
/// The inverse; nothing if it is not the text of so many layers.
std::optional<std::vector<JobTimes>> times_of(const std::string& text, std::size_t layers);

/// Names a point with a workload.
std::string result_id(const Workload& workload, const Point& point);

/// A line of points.jsonl (docs/exploration.md).
nlohmann::ordered_json to_record(const Workload& workload, const Point& point,
                                 const std::vector<JobTimes>& times);

/// Of a line's `pareto`: no smaller engine with the same formats, memory and workload is faster.
inline constexpr const char* kFront = "area-latency";

/// Version of the lines.
inline constexpr int kRecordVersion = 2;

}  // namespace mxe::explore
