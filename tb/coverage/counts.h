// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tb/coverage/bins.h"
#include "tb/rtl/rtl_top.h"

namespace mxe {

/// How often each point of the RTL's source ran, by the name that Verilator gives the point. Empty
/// unless the RTL was built for it (MXE_RTL_COVERAGE).
using LineCounts = std::map<std::string, uint64_t>;

/// What a run covered.
struct CoverageCounts {
  BinCounts bins;
  LineCounts lines;
};

void add(CoverageCounts& counts, const CoverageCounts& more);

/// The points of a design, so far.
LineCounts line_counts(RtlTop& top);

/// Writes DIR/bins.json, all bins with their counts, and, if lines were counted, DIR/lines.dat, in
/// Verilator's format. Throws mx::Error naming what cannot be written.
void write_coverage(const std::string& directory, const CoverageCounts& counts);

}  // namespace mxe
