// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/job/products.h"
#include "model/platform/device/device.h"
#include "model/platform/device/engine_setup.h"
#include "sw/worker/channel.h"

namespace mxe::worker {

struct EngineRequest {
  device::Target target;
  device::EngineSetup setup;
};

/// Throws Error if target, configuration, parameters or memory are illegal.
EngineRequest read_engine(const Json& request);

job::JobShape read_shape(const Json& request);

/// Reads from the memory file: codes and scales of all A, then of all B, then the float32 bias.
job::Products read_products(const Json& request, const Channel& channel);

Json describe(const EngineRequest& engine);
Json describe(const device::DeviceResult& result, const job::JobShape& shape,
              const device::EngineSetup& setup);

}  // namespace mxe::worker
