// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "model/job/job.h"
#include "sw/explore/sweep.h"

namespace mxe::explore {

/// The slowest layer of a point on a front.
struct Sample {
  const Outcome* outcome;
  const Layer* layer;
  job::JobShape shape;  ///< of the layer, reduced if it takes too long
};

/// Samples of `count` points of the fronts, preferring different engines. A layer of more than
/// `most_cycles` is reduced by whole buffers in each dimension, which keeps its remainders. Throws
/// Error if no point is on a front.
std::vector<Sample> sample_fronts(const std::vector<Outcome>& outcomes, std::size_t count,
                                  uint64_t most_cycles);

/// Writes trace events of such layers for Perfetto and `mxe report` to `folder`/ID.json, where ID
/// is the point's id in points.jsonl. Prints a line for each.
void write_traces(const std::vector<Outcome>& outcomes, std::size_t count,
                  const std::filesystem::path& folder);

}  // namespace mxe::explore
