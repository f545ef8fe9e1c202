// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxe::numerics {

/// Rounds float32 bits to FP16 bits, ties to even. Overflow becomes infinity, every NaN 0x7E00.
uint16_t float16_bits(uint32_t bits);

/// Converts FP16 bits to float32, exact. Keeps NaN payloads.
float float16_to_float(uint16_t bits);

}  // namespace mxe::numerics
