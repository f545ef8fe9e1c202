// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/job/job.h"
#include "model/platform/device/device.h"
#include "model/platform/device/target.h"
#include "sw/mxe/command.h"

namespace mxe::cli {

/// The part of a report that does not come from the device.
struct MatmulReport {
  job::JobShape shape;  ///< rows: the sum over all products
  device::Target on;
  Params params;
  engine::MemoryTiming timing;
  std::size_t products = 1;
};

Json to_json(const job::JobShape& shape, device::Target on, const Params& params);

/// Without a clock (reference), cycles, utilization and bytes are null and there are no counters.
Json to_json(const MatmulReport& report, const device::DeviceResult& result);

void print_text(const MatmulReport& report, const device::DeviceResult& result);

}  // namespace mxe::cli
