// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/planted_fault.h"

int planted_fault = 0;

/// What the mutated RTL asks: the number of the fault that is active.
extern "C" int mxe_planted_fault() { return planted_fault; }
