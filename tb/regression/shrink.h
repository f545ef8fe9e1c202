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

/// Returns the smallest case found that `run` puts into the same bucket: fewer batches and jobs, no
/// disturbances, a simple memory, smaller shapes, simpler values, layout and formats. `failed` is
/// the result of `cosim_case`.
CoSimCase shrink(const CoSimCase& cosim_case, const CaseResult& failed, const CasePool::Run& run,
                 const ShrinkLimits& limits = {});

}  // namespace mxe::regression
