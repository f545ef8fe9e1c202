// SPDX-License-Identifier: Apache-2.0
// Fast decoding of contiguous 32-element blocks with E8M0 scales (encoding: fast_blocks.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/numerics/base/simd.h"
#include "model/numerics/block/quantizer_options.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

/// Dequantizes codes[blocks * 32] with scales[blocks]; every NaN is 0x7FC00000.
using DequantizeKernel = void (*)(const uint8_t* codes, const uint8_t* scales, std::size_t blocks,
                                  float* out);

/// Converts codes to integers: value = integer * 2^lsb_exponent. NaN, Inf: any finite number.
using IntegerKernel = void (*)(const uint8_t* codes, std::size_t count, float* out);

/// Integers as words or bytes; null for formats whose integers do not fit.
using WordKernel = void (*)(const uint8_t* codes, std::size_t count, int16_t* out);
using ByteKernel = void (*)(const uint8_t* codes, std::size_t count, int8_t* out);

struct BlockKernels {
  DequantizeKernel dequantize;
  IntegerKernel integers;
  WordKernel words;
  ByteKernel bytes;
};

BlockKernels block_kernels(FormatId format, SimdLevel level);

/// E8M0 code of a block with this amax (float32 bits); 0xFF for NaN and Inf, 0 for zero.
uint8_t ocp_scale_code(uint32_t amax, FormatId format, ScaleRule rule);

BlockKernels block_kernels_portable(FormatId format);
BlockKernels block_kernels_avx2(FormatId format);
BlockKernels block_kernels_avx512(FormatId format);

}  // namespace mxe::numerics
