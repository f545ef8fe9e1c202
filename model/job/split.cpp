// SPDX-License-Identifier: Apache-2.0
#include "model/job/split.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/base/error.h"

namespace mxe::job {
namespace {

std::size_t unit_of(const JobShape& shape, SplitAxis axis, const Params& params) {
  if (axis == SplitAxis::m) return 1;
  const std::size_t block = shape.output.numbers() ? 1 : kBlockSize;
  return std::max<std::size_t>(params.num_pe, block);
}

std::size_t size_of(const JobShape& shape, SplitAxis axis) {
  return axis == SplitAxis::m ? shape.m : shape.n;
}

}  // namespace

const char* split_name(SplitAxis axis) { return axis == SplitAxis::m ? "m" : "n"; }

SplitAxis parse_split(const std::string& name) {
  if (name == "m") return SplitAxis::m;
  if (name == "n") return SplitAxis::n;
  throw Error(fmt::format("unknown dimension '{}' to split (allowed: m, n)", name));
}

std::size_t most_parts(const JobShape& shape, SplitAxis axis, const Params& params) {
  const std::size_t unit = unit_of(shape, axis, params);
  return (size_of(shape, axis) + unit - 1) / unit;
}

std::vector<JobShape> split_job(const JobShape& shape, SplitAxis axis, unsigned engines,
                                const Params& params) {
  const bool rows = axis == SplitAxis::m;
  const std::size_t unit = unit_of(shape, axis, params), size = size_of(shape, axis);
  const std::size_t units = most_parts(shape, axis, params);
  if (units < engines) {
    throw Error(fmt::format("{} {} cannot be split among {} engines: {} at least for each", size,
                            rows ? "rows" : "columns", engines, unit));
  }
  std::vector<JobShape> parts(engines, shape);
  for (unsigned i = 0; i < engines; i++) {
    const std::size_t begin = units * i / engines * unit;
    const std::size_t end = std::min(units * (i + 1) / engines * unit, size);
    (rows ? parts[i].m : parts[i].n) = end - begin;
  }
  return parts;
}

}  // namespace mxe::job
