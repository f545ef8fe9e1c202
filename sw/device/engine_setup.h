// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/engine/arithmetic.h"
#include "model/engine/memory_port.h"
#include "model/engine/memory_timing.h"
#include "model/engine/parts.h"
#include "model/engine/trace.h"
#include "model/params/params.h"

namespace mxe {

/// The engine and the memory a job runs on.
struct EngineSetup {
  Params params;
  MemoryTiming timing;
  PortLimits ports;
  bool cycles_only = false;         ///< model only: the results are not computed
  std::string waves;                ///< RTL only: the FST file to record, empty for none
  std::string rtl;                  ///< RTL only: the library to run, empty for the project's own
  Tracer* tracer = nullptr;         ///< model only: sees what the engine does; must outlive it
  ArithmeticFactory arithmetic;     ///< model only: see EngineOptions::arithmetic
  LoaderFactory load_a, load_b;     ///< model only: see EngineOptions::load_a
  BlockWatcher* watcher = nullptr;  ///< model only: see EngineOptions::watcher
};

}  // namespace mxe
