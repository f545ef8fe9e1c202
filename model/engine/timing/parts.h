// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/timing/read_client.h"

namespace mxe::engine {

/// The replaceable blocks of an engine. An empty one is the hardware's.
struct EngineParts {
  ArithmeticFactory arithmetic;  ///< what the array and the requantiser compute
  LoaderFactory load_a, load_b;
  BlockWatcher* watcher = nullptr;  ///< receives the blocks of a structural arithmetic; may be null
};

}  // namespace mxe::engine
