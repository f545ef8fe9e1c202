// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/job/job.h"
#include "model/platform/device/device.h"
#include "model/platform/device/target.h"
#include "sw/mxe/command.h"

namespace mxe::cli {

/// The part of the report of `matmul` and `estimate` that does not come from the device.
struct MatmulReport {
  job::JobShape shape;  ///< rows: the sum over all products
  device::Target on;
  Params params;
  engine::MemoryTiming timing;
  std::size_t products = 1;  ///< number of products
};

/// The first keys of the JSON: shape, formats, target and configuration.
Json to_json(const job::JobShape& shape, device::Target on, const Params& params);

/// All keys of both commands. For the reference, which has no clock, cycles, utilization and bytes
/// are null and the counters are empty.
Json to_json(const MatmulReport& report, const device::DeviceResult& result);

void print_text(const MatmulReport& report, const device::DeviceResult& result);

}  // namespace mxe::cli
