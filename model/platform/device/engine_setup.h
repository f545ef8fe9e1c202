// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/engine/memory/memory_timing.h"
#include "model/engine/timing/control/engine_config.h"
#include "model/platform/dram/access_log.h"
#include "model/platform/dram/port_timing.h"

namespace mxe::device {

/// An engine and its memory. The RTL uses only parameters and port limits of the configuration.
struct EngineSetup : engine::EngineConfig {
  engine::MemoryTiming timing;
  std::optional<dram::Setup> dram;      ///< replaces `timing`
  dram::AccessLog* accesses = nullptr;  ///< of the DRAM; must outlive the device
  std::string waves;                    ///< RTL only: FST file to record, or empty
  std::string rtl;                      ///< RTL only: engine library, empty for the project's RTL
};

}  // namespace mxe::device
