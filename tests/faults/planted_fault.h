// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

/// Selects the fault that mxe_plant_faults() has given this number; 0: none. A program or library
/// reads the number when it first runs code with faults, so this concerns processes that are
/// started afterwards.
inline void plant_fault(int number) { setenv("MXE_FAULT", std::to_string(number).c_str(), 1); }
