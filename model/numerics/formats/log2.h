// SPDX-License-Identifier: Apache-2.0
// floor and ceil of log2 of a float32, exact and as computed by log2f.
#pragma once

#include "model/numerics/base/bits.h"

namespace mxe::numerics {

using mxe::floor_log2;  // of integers

int floor_log2(const FloatParts& x);

int ceil_log2(const FloatParts& x);

/// floor(log2f(x)) with the correctly rounded log2f of torch (CPU), numpy and glibc: one too high
/// if the logarithm rounds up to an integer (44 values near 2^100, none between 1/4 and 4).
int floor_log2_float32(const FloatParts& x);

/// ceil(log2f(x)): one too low if the logarithm rounds down to an integer.
int ceil_log2_float32(const FloatParts& x);

}  // namespace mxe::numerics
