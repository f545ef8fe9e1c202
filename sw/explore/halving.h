// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/explore/task.h"
#include "sw/explore/timed_jobs.h"

namespace mxe::explore {

/// Successive halving: the indices, in rising order, of the `budget` most promising tasks, or of
/// all tasks if there are fewer. Each round simulates twice as many layers (1, 2, 4, ...), those
/// with the most multiplications first. Other layers count with their lower bounds. The better half
/// of the tasks remains, ordered by the number of their front in their group and then by time. The
/// result does not depend on `threads`.
std::vector<std::size_t> halve(const std::vector<Task>& tasks, uint64_t budget, unsigned threads,
                               TimedJobs& jobs);

}  // namespace mxe::explore
