// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxe::test {

void add_engine_benchmarks();
/// Prints the speeds, relative to the RTL, on stderr; nothing if no benchmark ran.
void print_speed_table();

}  // namespace mxe::test
