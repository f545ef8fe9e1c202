// SPDX-License-Identifier: Apache-2.0
// The engine's arithmetic for one block: the exact dot product of up to 32 element pairs, then the
// accumulation with one rounding. Used by the golden GEMM (gemm.h), the engine model and tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/numerics/base/bits.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

/// RNE_fp32(value * 2^exponent), subnormals kept, overflow to Inf; 0 gives +0. |value| < 2^126.
uint32_t round_to_float(Int128 value, int exponent);

/// RNE_fp32(acc + sum * 2^exponent) as float32 bits, with a single rounding. |sum| < 2^72, -1000 <=
/// exponent <= 1000. An exact zero is +0. A NaN acc gives 0x7FC00000; an infinite acc is unchanged.
uint32_t accumulate(uint32_t acc, Int128 sum, int exponent);

/// `sum` as the two halves of a 128-bit two's complement number.
uint32_t accumulate(uint32_t acc, int64_t sum_high, uint64_t sum_low, int exponent);

enum class BlockSpecial : uint8_t { none, nan, positive_infinity, negative_infinity };

/// A block's dot product: sum * 2^exponent unless special.
struct BlockDot {
  Int128 sum = 0;
  int exponent = 0;  ///< scale_a + scale_b - 254 + both lsb exponents
  BlockSpecial special = BlockSpecial::none;
};

/// `count` <= 32 codes, one per byte. A NaN scale or element, Inf * 0 and Inf - Inf give nan.
BlockDot block_dot(FormatId format_a, const uint8_t* a, uint8_t scale_a, FormatId format_b,
                   const uint8_t* b, uint8_t scale_b, std::size_t count);

/// Adds a block to an accumulator. NaN and infinity propagate; +Inf plus -Inf gives NaN.
uint32_t accumulate(uint32_t acc, const BlockDot& block);

/// RNE_fp32(even + odd): joins the two chains of the dual rate, special values included.
uint32_t merge_chains(uint32_t even, uint32_t odd);

/// Two's complement bits of the exact sum of 32 products of the two formats, the minimum TREE_W of
/// an engine. Example: 21 for mxint8 times mxint8, -128 included (table: docs/numerics.md).
unsigned pair_tree_width(FormatId a, FormatId b);

bool is_four_bit(FormatId format);

/// True if an engine with FP4_DUAL uses the dual rate: both formats have 4 bits. The only place of
/// this rule in C++. In the RTL: mxe_job.sv.
inline bool is_dual_pair(FormatId a, FormatId b) { return is_four_bit(a) && is_four_bit(b); }

/// Integer of each element code, value = integer * 2^lsb_exponent; 0 for NaN and infinity.
const std::array<int64_t, 256>& integer_table(FormatId format);

}  // namespace mxe::numerics
