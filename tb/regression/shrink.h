// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "tb/regression/case_runner.h"

namespace mxe {

struct ShrinkLimits {
  unsigned runs = 500;
  double seconds = 120;
};

/// A smaller case that fails in the same way: fewer batches and jobs, nothing beside them, a plain
/// memory, smaller shapes, simpler values, layout and formats. `run` runs a case and returns what
/// came of it; `failed` is what came of `cosim_case`. Each step is kept if the bucket stays the
/// same.
CoSimCase shrink(const CoSimCase& cosim_case, const CaseResult& failed, const CasePool::Run& run,
                 const ShrinkLimits& limits = {});

}  // namespace mxe
