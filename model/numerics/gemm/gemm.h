// SPDX-License-Identifier: Apache-2.0
// Golden matrix multiply: the engine's result, bit for bit, and the rules of other machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/numerics/base/simd.h"
#include "model/numerics/block/quantizer_options.h"
#include "model/numerics/gemm/prepared_operand.h"
#include "model/numerics/quantize/requantize.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {

/// Rule for summing the products along K.
enum class Accumulate : uint8_t {
  block,       ///< the engine: exact within a step (pair_rule.h), then one rounding to nearest even
  exact,       ///< a single rounding of the exact result
  sequential,  ///< dequantize to float32, then float32 multiply and add, in order of K
  /// NVIDIA Blackwell: terms and accumulator are aligned to the largest exponent, truncated, summed
  /// and rounded toward zero. mxf8f6f4 (mxfp, blocks of 32): 32 products, 25 fraction bits.
  /// mxf4nvf4 (E2M1, blocks of 16, UE4M3 or E8M0): four sums of 16 with their scales, 35 bits.
  nvidia_blackwell,
};

/// Parses block, exact, sequential or nvidia-blackwell. Throws Error with the allowed names.
Accumulate parse_accumulate(std::string_view name);

struct GemmOptions {
  Accumulate accumulate = Accumulate::block;
  /// The engine has FP4_DUAL: with `block`, some pairs of 4-bit formats use two chains (the bias
  /// enters the even one) or steps of 64 (pair_rule.h). No effect on other pairs.
  bool dual = true;
  /// Replaces the product of the operands' tensor scales.
  std::optional<float> alpha;
  // These do not change the result.
  unsigned threads = 1;
  std::optional<SimdLevel> simd;  ///< default: the best level of the processor
};

/// C = A * B^T + bias, float32 [M][N]: a [M][K], b [N][K], bias [M][N] or null. NaN scales and
/// elements, Inf * 0 and Inf - Inf give NaN; every NaN is 0x7FC00000. Inf propagates with its sign.
/// K = 0 gives the bias.
///
/// With an ALPHA, a factor per result, sums start at 0 and apply_alpha (gemm_definition.h) adds the
/// bias: fl(fl(ALPHA * sum) + bias). ALPHA is options.alpha or, if an operand has tensor scales,
/// the product of both rounded to float32. Without these there is none, and sums start at the bias.
///
/// Throws Error for unequal K, tensors that check() rejects, or formats that nvidia_blackwell
/// lacks.
std::vector<float> gemm(const MxTensor& a, const MxTensor& b, const float* bias,
                        const GemmOptions& options = {});
std::vector<float> gemm(const MxTensor& a, const PreparedOperand& b, const float* bias,
                        const GemmOptions& options = {});

std::vector<float> gemm_block(const MxTensor& a, const MxTensor& b, const float* bias, bool dual);

/// Requantises results [rows][columns], blocks along N (requantize.h). NaN or Inf makes its block
/// NaN. Adds the number of elements that round beyond the largest finite value to *saturations,
/// unless null.
MxTensor to_mx(const std::vector<float>& values, std::size_t rows, std::size_t columns,
               FormatId format, ScaleRule rule = ScaleRule::floor,
               Overflow overflow = Overflow::saturate, uint64_t* saturations = nullptr);

}  // namespace mxe::numerics
