// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/memory/memory_port.h"
#include "model/engine/memory/memory_timing.h"
#include "model/engine/timing/parts.h"
#include "model/engine/timing/trace.h"
#include "model/params/params.h"

namespace mxe {

struct EngineSetup {
  Params params;
  MemoryTiming timing;
  PortLimits ports;
  bool cycles_only = false;         ///< model only: do not compute the results
  std::string waves;                ///< RTL only: FST file to record, or empty
  std::string rtl;                  ///< RTL only: engine library, empty for the project's RTL
  Tracer* tracer = nullptr;         ///< model only: receives the engine's events; must outlive it
  ArithmeticFactory arithmetic;     ///< model only: see EngineOptions::arithmetic
  LoaderFactory load_a, load_b;     ///< model only: see EngineOptions::load_a
  BlockWatcher* watcher = nullptr;  ///< model only: see EngineOptions::watcher
};

}  // namespace mxe
