// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/job/split.h"
#include "model/platform/device/engine_setup.h"
#include "model/platform/device/target.h"
#include "model/platform/device/team.h"
#include "sw/mxe/command.h"

namespace mxe::cli {

struct TeamReport {
  struct Member {
    job::JobShape shape;
    device::TeamResult::Member outcome;
    uint64_t alone = 0;  ///< cycles of its job on the model without the other engines

    /// Cycles that the other engines add; negative if the changed order of bursts is faster.
    int64_t waited() const {
      return static_cast<int64_t>(outcome.result.cycles) - static_cast<int64_t>(alone);
    }
  };

  job::JobShape shape;
  device::Target on;
  device::EngineSetup setup;
  job::SplitAxis axis;
  std::vector<Member> members;
  uint64_t cycles = 0;
  uint64_t one_engine = 0;  ///< the model's cycles of the whole product, same memory
  double bound = 0;         ///< explore::roofline_cycles
  double wall_seconds = 0;

  double speedup() const { return static_cast<double>(one_engine) / static_cast<double>(cycles); }
};

/// Also simulates each part, and the whole product, alone on the model.
TeamReport make_report(const job::JobShape& shape, device::Target on,
                       const device::EngineSetup& setup, job::SplitAxis axis,
                       const std::vector<job::JobShape>& parts, const device::TeamResult& result);

Json to_json(const TeamReport& report);
void print_text(const TeamReport& report);

}  // namespace mxe::cli
