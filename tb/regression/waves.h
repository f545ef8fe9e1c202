// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tb/blame/blame.h"
#include "tb/regression/own_engine.h"

namespace mxe {

/// Writes a GTKWave save file that opens the waveform file `waves` on the signals that tell most:
/// the registers' bus, the memory's, the interrupt, and the state of command processor, loader,
/// sequencer and drain. The first wrong value, if one was found, comes first, and the marker is at
/// its time.
void write_gtkwave_file(const std::string& path, const std::string& waves, const RtlUnderTest& rtl,
                        const std::optional<blame::WrongValue>& wrong);

}  // namespace mxe
