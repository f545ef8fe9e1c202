// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/memory/memory_port.h"
#include "model/engine/memory/memory_timing.h"
#include "model/engine/timing/parts.h"
#include "model/engine/timing/trace.h"
#include "model/params/params.h"

namespace mxe::device {

struct EngineSetup {
  Params params;
  engine::MemoryTiming timing;
  engine::PortLimits ports;
  bool cycles_only = false;          ///< model only: do not compute the results
  std::string waves;                 ///< RTL only: FST file to record, or empty
  std::string rtl;                   ///< RTL only: engine library, empty for the project's RTL
  engine::Tracer* tracer = nullptr;  ///< model only: receives the engine's events; must outlive it
  engine::ArithmeticFactory arithmetic;     ///< model only: see EngineOptions::arithmetic
  engine::LoaderFactory load_a, load_b;     ///< model only: see EngineOptions::load_a
  engine::BlockWatcher* watcher = nullptr;  ///< model only: see EngineOptions::watcher
};

}  // namespace mxe::device
