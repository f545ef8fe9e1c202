// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/timing/read_client.h"

namespace mxe::engine {

/// The blocks of an engine that others may replace by their own. What is empty is the hardware's.
struct EngineParts {
  ArithmeticFactory arithmetic;  ///< what the array and the requantiser compute
  LoaderFactory load_a, load_b;
  BlockWatcher* watcher =
      nullptr;  ///< sees the blocks of an arithmetic that has some; null: nobody
};

}  // namespace mxe::engine
