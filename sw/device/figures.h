// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/memory_timing.h"
#include "model/job/job.h"
#include "model/params/params.h"
#include "sw/device/device.h"

namespace mxe {

/// Useful multiply-accumulates over those the engine could have done in `cycles`: 0 to 1.
double utilization(const JobShape& shape, const Params& params, uint64_t cycles);

/// The fewest cycles that a job can take: those of its multiplications, all multipliers busy, and
/// those of the bytes that the engine read or wrote, whichever take longer, at the bandwidth of its
/// port or of the memory, whichever is less; of a half-duplex memory, those of both together.
struct Roofline {
  uint64_t compute = 0;
  uint64_t memory = 0;
  bool memory_reads = true;    ///< reading takes as long as writing, or longer
  double bytes_per_cycle = 0;  ///< of each direction

  bool compute_bound() const { return compute >= memory; }
};
Roofline roofline(const JobShape& shape, const Params& params, const MemoryTiming& timing,
                  const DeviceResult& result);

}  // namespace mxe
