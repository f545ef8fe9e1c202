// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/device/engine_setup.h"
#include "sw/device/target.h"
#include "sw/device/team.h"
#include "sw/mxe/command.h"

namespace mxe::cli {

/// What `estimate --engines` reports.
struct TeamReport {
  struct Member {
    JobShape shape;
    TeamResult::Member outcome;
    uint64_t alone = 0;  ///< cycles of its job without the others

    /// How much longer it took beside the others; an accident of order may make it less than zero.
    int64_t waited() const {
      return static_cast<int64_t>(outcome.result.cycles) - static_cast<int64_t>(alone);
    }
  };

  JobShape shape;
  Target on;
  EngineSetup setup;
  SplitAxis axis;
  std::vector<Member> members;
  uint64_t cycles = 0;
  uint64_t one_engine = 0;  ///< cycles of the whole product on one engine at the same memory
  double bound = 0;         ///< see explore::roofline_cycles
  double wall_seconds = 0;

  double speedup() const { return static_cast<double>(one_engine) / static_cast<double>(cycles); }
};

/// Times the parts, and the whole, on one engine each, too.
TeamReport make_report(const JobShape& shape, Target on, const EngineSetup& setup, SplitAxis axis,
                       const std::vector<JobShape>& parts, const TeamResult& result);

Json to_json(const TeamReport& report);
/// The same for people, on stdout.
void print_text(const TeamReport& report);

}  // namespace mxe::cli
