// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/job/products.h"
#include "model/platform/device/device.h"
#include "model/platform/device/target.h"
#include "sw/mxe/command.h"

namespace mxe::cli {

/// Tensor scales of the operands, where they have one, and ALPHA, where the product has one for all
/// results. Row scales are none.
struct WholeScales {
  std::optional<float> a, b, alpha;
};

/// `alpha` replaces the product of the tensor scales.
WholeScales whole_scales(const job::Products& products, std::optional<float> alpha);

/// The part of a report that does not come from the device.
struct MatmulReport {
  job::JobShape shape;  ///< rows: the sum over all products
  device::Target on;
  Params params;
  engine::MemoryTiming timing;
  std::size_t products = 1;
  std::optional<dram::Setup> dram = {};
  WholeScales scales = {};
  bool explains = false;  ///< the steps of the sums and the engine's answer
};

Json to_json(const job::JobShape& shape, device::Target on, const Params& params);

/// Without a clock (reference), cycles, utilization and bytes are null and there are no counters.
Json to_json(const MatmulReport& report, const device::DeviceResult& result);

void print_text(const MatmulReport& report, const device::DeviceResult& result);

}  // namespace mxe::cli
