// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tb/blame/blame.h"
#include "tb/regression/own_engine.h"

namespace mxe::regression {

/// Writes a GTKWave save file for `waves` with the most useful signals: register bus, memory bus,
/// interrupt, and states of the command processor, loader, sequencer and drain. The first wrong
/// value, if found, comes first, and the marker is set to its time.
void write_gtkwave_file(const std::string& path, const std::string& waves, const RtlUnderTest& rtl,
                        const std::optional<blame::WrongValue>& wrong);

}  // namespace mxe::regression
