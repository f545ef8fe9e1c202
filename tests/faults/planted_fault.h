// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

/// Selects a fault of mxe_plant_faults() by its number (0: none) for processes started later.
inline void plant_fault(int number) { setenv("MXE_FAULT", std::to_string(number).c_str(), 1); }
