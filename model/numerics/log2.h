// SPDX-License-Identifier: Apache-2.0
// floor and ceil of log2 of a float32, exactly and as software that calls log2f gets them.
#pragma once

#include "model/numerics/bits.h"

namespace mx {

/// floor(log2 x) of x = significand * 2^exponent > 0, exact.
int floor_log2(const FloatParts& x);

/// ceil(log2 x), exact.
int ceil_log2(const FloatParts& x);

/// floor(log2f(x)) with a correctly rounded float32 log2, as torch (CPU), numpy and glibc have it:
/// one too high for the last values below a power of two whose logarithm rounds up to it (44 of
/// them near 2^100, none between 1/4 and 4).
int floor_log2_float32(const FloatParts& x);

/// ceil(log2f(x)): one too low for the first values above a power of two.
int ceil_log2_float32(const FloatParts& x);

}  // namespace mx
