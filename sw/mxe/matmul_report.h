// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/job/job.h"
#include "sw/device/device.h"
#include "sw/device/target.h"
#include "sw/mxe/command.h"

namespace mxe::cli {

/// What `matmul` and `estimate` report about, besides what the device says.
struct MatmulReport {
  JobShape shape;  ///< with the rows of all products
  Target on;
  Params params;
  MemoryTiming timing;
  std::size_t products = 1;  ///< that a batch has
};

/// Useful multiply-accumulates over those the engine could have done in `cycles`: 0 to 1.
double utilization(const MatmulReport& report, uint64_t cycles);

/// The fewest cycles that a job can take: those of its multiplications, all multipliers busy, and
/// those of the bytes that the engine read or wrote, whichever take longer, at the bandwidth of its
/// port or of the memory, whichever is less.
struct Roofline {
  uint64_t compute = 0;
  uint64_t memory = 0;
  bool memory_reads = true;    ///< reading takes as long as writing, or longer
  double bytes_per_cycle = 0;  ///< of each direction

  bool compute_bound() const { return compute >= memory; }
};
Roofline roofline(const MatmulReport& report, const DeviceResult& result);

/// The keys of both commands. The reference has no clock: its cycles, utilization and bytes are
/// null and its counters are empty.
Json to_json(const MatmulReport& report, const DeviceResult& result);

/// The same for people, on stdout.
void print_text(const MatmulReport& report, const DeviceResult& result);

}  // namespace mxe::cli
