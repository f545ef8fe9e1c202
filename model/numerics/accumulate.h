// SPDX-License-Identifier: Apache-2.0
// The engine's arithmetic for one block: the exact dot product of up to 32 element pairs and the
// fused accumulation with one rounding. The golden GEMM (gemm.h) and the leaf tests of the RTL call
// these functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/numerics/bits.h"
#include "model/numerics/format.h"

namespace mx {

/// RNE_fp32(value * 2^exponent), subnormals kept, overflow to Inf; 0 gives +0. |value| < 2^126.
uint32_t round_to_float(Int128 value, int exponent);

/// RNE_fp32(acc + sum * 2^exponent) as float32 bits: one rounding, exact inside. |sum| < 2^72,
/// -1000 <= exponent <= 1000. Every exact zero is +0. A NaN acc gives the quiet NaN 0x7FC00000, an
/// infinite acc stays as it is.
uint32_t accumulate(uint32_t acc, Int128 sum, int exponent);
/// The same with the sum as a 128-bit two's complement number in two halves.
uint32_t accumulate(uint32_t acc, int64_t sum_high, uint64_t sum_low, int exponent);

/// What a block contributes besides a number.
enum class BlockSpecial : uint8_t { none, nan, positive_infinity, negative_infinity };

/// A block's dot product: sum * 2^exponent, or a special that overrides it.
struct BlockDot {
  Int128 sum = 0;
  int exponent = 0;  ///< scale_a + scale_b - 254 + both lsb exponents
  BlockSpecial special = BlockSpecial::none;
};

/// Dot product of `count` <= 32 element codes (one a byte) under their block scales. A NaN scale, a
/// NaN element, Inf * 0 and Inf - Inf give nan.
BlockDot block_dot(FormatId format_a, const uint8_t* a, uint8_t scale_a, FormatId format_b,
                   const uint8_t* b, uint8_t scale_b, std::size_t count);

/// Adds a block to an accumulator, specials included: NaN wins, Inf propagates with its sign,
/// +Inf and -Inf meet as NaN.
uint32_t accumulate(uint32_t acc, const BlockDot& block);

/// RNE_fp32(even + odd): joins the two chains of the 4-bit dual mode, specials included.
uint32_t merge_chains(uint32_t even, uint32_t odd);

/// Two's complement bits that hold the exact sum of 32 products of the two formats, mxint8 codes
/// down to -128 included (docs/numerics.md has the table). An engine with TREE_W of at least this
/// many bits multiplies the pair.
unsigned pair_tree_width(FormatId a, FormatId b);

/// Whether a format has 4-bit elements; two such operands run in two chains with FP4_DUAL.
bool is_four_bit(FormatId format);

/// Finite element codes as integers: value = integer * 2^lsb_exponent. Specials give 0.
const std::array<int64_t, 256>& integer_table(FormatId format);

}  // namespace mx
