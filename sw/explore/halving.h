// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/explore/task.h"
#include "sw/explore/timed_jobs.h"

namespace mxe::explore {

/// Successive halving: the numbers, in rising order, of the `budget` most promising tasks, or of
/// all if they are no more. In each round as many layers as before, and at first one, are timed in
/// addition, those with the most multiplications first; the others count with their lower bounds.
/// The better half of the tasks stays: by how many times the front of area and time has to be taken
/// away from their group until they are on it, then by time. Does not depend on `threads`.
std::vector<std::size_t> halve(const std::vector<Task>& tasks, uint64_t budget, unsigned threads,
                               TimedJobs& jobs);

}  // namespace mxe::explore
