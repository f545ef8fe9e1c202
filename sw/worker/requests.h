// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/job/products.h"
#include "sw/device/device.h"
#include "sw/device/engine_setup.h"
#include "sw/worker/channel.h"

namespace mxe::worker {

struct EngineRequest {
  Target target;
  EngineSetup setup;
};

/// Reads an engine's target, configuration, parameters and memory. Throws mx::Error if the engine
/// is not legal.
EngineRequest read_engine(const Json& request);

/// Reads the shape of a job, without data.
JobShape read_shape(const Json& request);

/// Reads products. Their operands are stored in the memory file: codes and scales of all matrices
/// of A, the same of B, float32 numbers of the bias.
Products read_products(const Json& request, const Channel& channel);

/// The engine's description for a reply.
Json describe(const EngineRequest& engine);
/// The cycles and counters of a job for a reply.
Json describe(const DeviceResult& result, const JobShape& shape, const EngineSetup& setup);

}  // namespace mxe::worker
