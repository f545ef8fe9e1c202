// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "tb/regression/case_runner.h"

namespace mxe::regression {

struct ShrinkLimits {
  unsigned runs = 500;
  double seconds = 120;
};

/// Returns a smaller case with the same failure: fewer batches and jobs, no disturbances, a simple
/// memory, smaller shapes, simpler values, layout and formats. `run` runs a case; `failed` is the
/// result of `cosim_case`. A step is kept if the bucket stays the same.
CoSimCase shrink(const CoSimCase& cosim_case, const CaseResult& failed, const CasePool::Run& run,
                 const ShrinkLimits& limits = {});

}  // namespace mxe::regression
