// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/platform/dram/command.h"
#include "model/platform/dram/config.h"

namespace mxe::dram {

/// Checks a log of one channel against the rules of the JEDEC standards: minimum distances of each
/// pair of commands, states of banks, the window of four activates, overlaps on the data bus,
/// the command bus (unless `has_bus` is false), and the number of refreshes. Returns the first
/// violations, at most ten. It is written from the standards' tables and shares no code with the
/// controllers.
std::vector<std::string> violations(const Config& config, std::vector<CommandRecord> log,
                                    bool has_bus);

}  // namespace mxe::dram
