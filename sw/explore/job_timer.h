// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/memory_port.h"
#include "model/engine/memory_timing.h"
#include "model/engine/trace.h"
#include "model/job/job.h"
#include "model/params/params.h"
#include "mxe_driver.h"

namespace mxe::explore {

/// What a job takes.
struct JobTimes {
  uint64_t cycles = 0;  ///< from its descriptor to its record, as the device reports them
  struct mxe_counters counters {};  ///< of this job alone
  uint64_t skipped_cycles = 0;      ///< of these, found alike to others and not simulated
};

/// The cycles of one job, those of `mxe estimate`: the engine's core, driven by the driver, between
/// registers and a memory that keeps times but no operands. It needs no SystemC, so any number may
/// run in a process, in different threads, and no job is too large for the memory. Throws mx::Error
/// if the engine rejects the job. A `tracer` sees what the engine does, in the same cycles as that
/// of `mxe estimate`.
JobTimes time_job(const JobShape& shape, const Params& params, const MemoryTiming& timing,
                  const PortLimits& ports, Tracer* tracer = nullptr);

}  // namespace mxe::explore
