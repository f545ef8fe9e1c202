// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job/job.h"

namespace mxe::job {

/// Dimension of D along which several engines share a job.
enum class SplitAxis : uint8_t { m, n };

const char* split_name(SplitAxis axis);
/// Inverse of split_name(); throws Error with the allowed names.
SplitAxis parse_split(const std::string& name);

/// The most parts of a job: one for each unit, which is a row, or a tile of columns (at least 32
/// columns if results have scales). 100 columns, NUM_PE = 8: 13 parts.
std::size_t most_parts(const JobShape& shape, SplitAxis axis, const Params& params);

/// Splits a job into one part per engine. The parts differ by at most one unit. Throws Error if
/// there are fewer units than engines. 100 rows, 3 engines: 33 + 33 + 34.
std::vector<JobShape> split_job(const JobShape& shape, SplitAxis axis, unsigned engines,
                                const Params& params);

}  // namespace mxe::job
