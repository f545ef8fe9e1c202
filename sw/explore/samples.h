// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "model/job/job.h"
#include "sw/explore/sweep.h"

namespace mxe::explore {

/// The layer with the most multiplications of a point on a front.
struct Sample {
  const Outcome* outcome;
  const Layer* layer;
  job::JobShape shape;  ///< reduced if it takes too many cycles
};

/// Chooses at most `count` points on fronts, first those with different engines. A layer of more
/// than `most_cycles` loses whole buffers and keeps the remainder: N = 1000, groups of 32: 64 + 8
/// = 72. Throws Error if no point is on a front.
std::vector<Sample> sample_fronts(const std::vector<Outcome>& outcomes, std::size_t count,
                                  uint64_t most_cycles);

/// Writes a trace of each sample, for Perfetto and `mxe report`, to `folder`/ID.json.
void write_traces(const std::vector<Outcome>& outcomes, std::size_t count,
                  const std::filesystem::path& folder);

}  // namespace mxe::explore
