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

/// The keys that begin the JSON of whatever multiplies: what, on which target and engine.
Json to_json(const JobShape& shape, Target on, const Params& params);

/// The keys of both commands. The reference has no clock: its cycles, utilization and bytes are
/// null and its counters are empty.
Json to_json(const MatmulReport& report, const DeviceResult& result);

/// The same for people, on stdout.
void print_text(const MatmulReport& report, const DeviceResult& result);

}  // namespace mxe::cli
