// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "model/job/job.h"
#include "sw/explore/sweep.h"

namespace mxe::cli {

/// The costliest layer of a point on a front.
struct Sample {
  const explore::Outcome* outcome;
  const explore::Layer* layer;
  JobShape shape;  ///< of the layer, made smaller if it takes long
};

/// Those of `count` points of the fronts, points of other engines first. A layer of more than
/// `most_cycles` is made smaller by whole buffers, dimension by dimension, which keeps its ragged
/// ends. Throws mx::Error if there are no points on a front.
std::vector<Sample> sample_fronts(const std::vector<explore::Outcome>& outcomes, std::size_t count,
                                  uint64_t most_cycles);

/// Writes what the engine does in such layers to `folder`/ID.json, ID being that of the point in
/// points.jsonl, as trace events for Perfetto, where `mxe report` finds them. Prints a line for
/// each.
void write_traces(const std::vector<explore::Outcome>& outcomes, std::size_t count,
                  const std::filesystem::path& folder);

}  // namespace mxe::cli
