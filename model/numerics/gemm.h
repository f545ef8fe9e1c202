// Golden matrix multiply: what the engine must produce, bit for bit.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/tensor.h"

namespace mx {

// C = A * B^T + bias, float32 [M][N], with the engine's policy `block`: for every output, one
// rounding to nearest even per 32-element block of K, exact inside the block, subnormals kept.
//
// a is [M][K], b is [N][K] (K contiguous). bias is [M][N] or null (zeros). With `dual`, pairs of
// 4-bit formats accumulate even and odd blocks in two chains, joined by one more rounding (the bias
// enters the even chain); other pairs ignore it. Every NaN result is 0x7FC00000.
// Throws Error if the depths differ or a tensor's vectors have the wrong size.
std::vector<float> gemm_block(const MxTensor& a, const MxTensor& b, const float* bias, bool dual);

}  // namespace mx
