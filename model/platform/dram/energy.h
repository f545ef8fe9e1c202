// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/platform/dram/command.h"
#include "model/platform/dram/config.h"

namespace mxe::dram {

/// Energy in picojoules, of all devices.
struct DramEnergy {
  double activate = 0;  ///< with the precharge
  double read = 0;
  double write = 0;
  double refresh = 0;
  double standby = 0;
  double total() const { return activate + read + write + refresh + standby; }
};

/// Energy of the counted commands and cycles, from the currents of the data sheet. Energy of the
/// data bus (I/O and termination) is not included. Empty if the configuration has no currents.
std::optional<DramEnergy> energy_of(const Config& config, const Statistics& statistics);

}  // namespace mxe::dram
