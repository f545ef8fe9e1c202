// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "model/engine/memory/memory_port.h"
#include "model/engine/memory/memory_timing.h"
#include "model/engine/timing/common/trace.h"
#include "model/job/job.h"
#include "model/params/params.h"
#include "model/platform/dram/port_timing.h"
#include "mxe_driver.h"

namespace mxe::explore {

struct JobTimes {
  uint64_t cycles = 0;  ///< from the descriptor to the record, as the device reports them
  struct mxe_counters counters {};
  uint64_t skipped_cycles = 0;  ///< cycles skipped as repetitions of simulated ones
  uint64_t simulated_fetches = 0, simulated_passes = 0;  ///< row fetches and passes not skipped
  /// Energy of the DRAM's commands, with standby and refreshes until the last one; empty for a
  /// memory without currents.
  std::optional<uint64_t> dram_picojoules = {};
};

/// The cycles of one job, as `mxe estimate` prints them. The driver runs the engine's core with a
/// memory that has times but no operands. Needs no SystemC; threads may call it concurrently.
/// Throws Error if the engine rejects the job. `tracer` receives the events of the job. `dram`, if
/// not null, replaces `timing`; the DRAM starts with the engine.
JobTimes time_job(const job::JobShape& shape, const Params& params,
                  const engine::MemoryTiming& timing, const engine::PortLimits& ports,
                  engine::Tracer* tracer = nullptr, const dram::Setup* dram = nullptr);

}  // namespace mxe::explore
