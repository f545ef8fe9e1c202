// SPDX-License-Identifier: Apache-2.0
// What freestanding.py has to find: a division that small processors have no instruction for.
#include <stdint.h>

uint64_t mxe_not_freestanding(uint64_t x, uint64_t y);
uint64_t mxe_not_freestanding(uint64_t x, uint64_t y) { return x / y; }
