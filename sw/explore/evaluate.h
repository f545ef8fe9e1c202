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

/// The layer's own format, else the point's.
OperandFormat format_a(const Layer& layer, const Point& point);
OperandFormat format_b(const Layer& layer, const Point& point);

job::JobShape job_of(const Layer& layer, const Point& point);

/// Throws LimitError if the engine does not support the formats of a layer.
void require_pairs(const Workload& workload, const Point& point);

/// The times of each layer's job. Reuses the times in `jobs`.
std::vector<JobTimes> time_layers(const Workload& workload, const Point& point, TimedJobs& jobs);

double lower_bound_cycles(const Workload& workload, const Point& point);

/// Key in the cache for the times of time_layers().
std::string times_key(const Workload& workload, const Point& point);
std::string to_text(const std::vector<JobTimes>& times);
/// Inverse of to_text(); nullopt for damaged text or another number of layers.
std::optional<std::vector<JobTimes>> times_of(const std::string& text, std::size_t layers);

std::string result_id(const Workload& workload, const Point& point);

Record to_record(const Workload& workload, const Point& point, const std::vector<JobTimes>& times);

/// Value of `pareto` for points on the front of their workload, formats, memory and clock.
inline constexpr const char* kFront = "area-latency";

inline constexpr int kRecordVersion = 2;

}  // namespace mxe::explore
