// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/platform/rtl/rtl_top.h"
#include "tb/coverage/bins.h"

namespace mxe::coverage {

/// Counts of the points of the RTL's source, by Verilator's names; empty without MXE_RTL_COVERAGE.
using LineCounts = std::map<std::string, uint64_t>;

struct CoverageCounts {
  BinCounts bins;
  LineCounts lines;
};

void add(CoverageCounts& counts, const CoverageCounts& more);

LineCounts line_counts(rtl::RtlTop& top);

/// Writes DIR/bins.json and, if lines were counted, DIR/lines.dat for Verilator. Throws Error.
void write_coverage(const std::string& directory, const CoverageCounts& counts);

}  // namespace mxe::coverage
