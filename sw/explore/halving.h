// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/explore/task.h"
#include "sw/explore/timed_jobs.h"

namespace mxe::explore {

/// Successive halving. Returns the rising indices of the `budget` most promising tasks, or of all
/// if there are fewer. Round 1, 2, 3, ... simulates the 1, 2, 4, ... layers with the most
/// multiplications; other layers count with lower bounds. A round keeps half of the tasks, but at
/// least `budget`, sorted by front (area, time), then by time. `threads` does not change the
/// result.
std::vector<std::size_t> halve(const std::vector<Task>& tasks, uint64_t budget, unsigned threads,
                               TimedJobs& jobs);

}  // namespace mxe::explore
