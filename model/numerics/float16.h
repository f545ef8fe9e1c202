// SPDX-License-Identifier: Apache-2.0
// FP16, IEEE 754 binary16: tensors in files, results as the engine stores them.
#pragma once

#include <cstdint>

namespace mx {

/// The nearest FP16 number to a float32, both as bits: ties to even, beyond the largest infinity,
/// every NaN 0x7E00.
uint16_t float16_bits(uint32_t bits);

/// The value of an FP16 number given as its bits, exact; NaN payloads are kept.
float float16_to_float(uint16_t bits);

}  // namespace mx
