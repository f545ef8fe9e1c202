// SPDX-License-Identifier: Apache-2.0
// The texts of gdb's remote protocol, without a connection.
#pragma once

#include <string>

#include "model/platform/soc/debugger.h"

namespace mxe::soc {

/// The packet that tells gdb of a stop.
std::string gdb_stop(const DebugTarget& target, Debugger::Reason reason);

/// The answer to any packet but those that let the processor go on; empty for one that is not
/// known, an error for one that cannot be read. `last_stop`: the last gdb_stop().
std::string gdb_answer(const std::string& packet, const std::string& last_stop,
                       DebugTarget& target);

}  // namespace mxe::soc
