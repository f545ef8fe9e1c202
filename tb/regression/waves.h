// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tb/regression/own_engine.h"

namespace mxe {

/// Writes a GTKWave save file that opens the waveform file `waves` on the signals that tell most:
/// the registers' bus, the memory's, the interrupt, and the state of command processor, loader,
/// sequencer and drain.
void write_gtkwave_file(const std::string& path, const std::string& waves, const RtlUnderTest& rtl);

}  // namespace mxe
