// SPDX-License-Identifier: Apache-2.0
// freestanding.py must find this: a division for which small processors have no instruction.
#include <stdint.h>

uint64_t mxe_not_freestanding(uint64_t x, uint64_t y);
uint64_t mxe_not_freestanding(uint64_t x, uint64_t y) { return x / y; }
