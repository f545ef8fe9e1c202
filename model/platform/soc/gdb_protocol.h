// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/platform/soc/debugger.h"

namespace mxe::soc {

std::string gdb_stop(const DebugTarget& target, Debugger::Reason reason);

/// The response to any packet that does not resume the processor; empty for an unknown packet, an
/// error for an invalid one. `last_stop` is the last gdb_stop().
std::string gdb_answer(const std::string& packet, const std::string& last_stop,
                       DebugTarget& target);

}  // namespace mxe::soc
