// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

/// Selects the fault with this number of mxe_plant_faults(), 0 for none, in processes started
/// later.
inline void plant_fault(int number) { setenv("MXE_FAULT", std::to_string(number).c_str(), 1); }
