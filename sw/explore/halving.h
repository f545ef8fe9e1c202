// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/explore/task.h"
#include "sw/explore/timed_jobs.h"

namespace mxe::explore {

/// Successive halving: the rising indices of the `budget` most promising tasks, or of all if there
/// are fewer. Each round simulates twice as many layers (1, 2, 4, ...), those with the most
/// multiplications first; others count with lower bounds. It keeps the better half of the tasks, by
/// number of their front (0 first), then by time. `threads` does not change the result.
std::vector<std::size_t> halve(const std::vector<Task>& tasks, uint64_t budget, unsigned threads,
                               TimedJobs& jobs);

}  // namespace mxe::explore
