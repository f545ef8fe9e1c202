// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/memory/memory_port.h"
#include "model/engine/timing/common/trace.h"
#include "model/engine/timing/read/read_client.h"
#include "model/params/params.h"

namespace mxe::engine {

/// The operations that the model carries out with a job's data.
enum class Mode : uint8_t {
  functional,  ///< results and cycles
  timing,      ///< cycles only: bursts of operands and results carry no data
};

/// The configuration of an engine's model.
struct EngineConfig {
  EngineConfig() = default;
  explicit EngineConfig(const Params& values) : params(values) {}

  Params params;
  PortLimits ports;
  Mode mode = Mode::functional;
  /// Computes the results (model/engine/arithmetic/arithmetic.h); empty for the reference. Other
  /// arithmetics receive their operands through the buffers, and no part of a job is skipped.
  ArithmeticFactory arithmetic;
  /// Custom loaders (model/engine/timing/read/read_client.h); empty for those of the hardware.
  LoaderFactory load_a, load_b;
  /// Observes the slots of the command processor, and the blocks of a structural arithmetic after
  /// each row or segment (for example BlockWaves); may be null. Must outlive the engine.
  BlockWatcher* watcher = nullptr;
  /// Receives the engine's events; may be null; must outlive the engine. Disables skipping.
  Tracer* tracer = nullptr;
  /// Skip repeated parts of a job without changing results (Datapath::step), or simulate every
  /// event.
  bool skip_repetitions = true;

  bool skips() const { return skip_repetitions && !tracer; }
};

}  // namespace mxe::engine
