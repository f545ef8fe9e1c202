// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tb/blame/blame.h"
#include "tb/regression/own_engine.h"

namespace mxe::regression {

/// Writes a GTKWave save file for `waves` with the buses, the interrupt and the blocks' states. If
/// `wrong` is set, it is the first signal, and the marker is at its time.
void write_gtkwave_file(const std::string& path, const std::string& waves, const RtlUnderTest& rtl,
                        const std::optional<blame::WrongValue>& wrong);

}  // namespace mxe::regression
