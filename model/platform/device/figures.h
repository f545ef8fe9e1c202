// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/memory/memory_timing.h"
#include "model/job/job.h"
#include "model/params/params.h"
#include "model/platform/device/device.h"

namespace mxe::device {

/// Useful multiply-accumulates divided by the peak of the engine in `cycles`: 0 to 1.
double utilization(const job::JobShape& shape, const Params& params, uint64_t cycles);

/// Lower bounds of a job's cycles. compute: all multipliers busy. memory: the larger of bytes read
/// and written at the lower bandwidth of port and memory; of a half-duplex memory, at least their
/// sum at the memory's bandwidth.
struct Roofline {
  uint64_t compute = 0;
  uint64_t memory = 0;
  bool memory_reads = true;  ///< reads take at least as long as writes
  double bytes_per_cycle = 0;

  bool compute_bound() const { return compute >= memory; }
};
Roofline roofline(const job::JobShape& shape, const Params& params,
                  const engine::MemoryTiming& timing, const DeviceResult& result);

}  // namespace mxe::device
