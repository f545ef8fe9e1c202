// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxe {

/// Registers the benchmarks of the engines, and makes their platforms.
void add_engine_benchmarks();
/// What they measured, each engine beside the RTL, on stderr; nothing if none ran.
void print_speed_table();

}  // namespace mxe
