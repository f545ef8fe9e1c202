// SPDX-License-Identifier: Apache-2.0
// Golden matrix multiply: what the engine must produce, bit for bit, and other machines' rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/numerics/prepared_operand.h"
#include "model/numerics/quantizer_options.h"
#include "model/numerics/requantize.h"
#include "model/numerics/simd.h"
#include "model/numerics/tensor.h"

namespace mx {

/// How products are summed along K.
enum class Accumulate : uint8_t {
  block,       ///< the engine: one rounding to nearest even per 32-element block, exact inside
  exact,       ///< one rounding at the very end
  sequential,  ///< dequantize to float32, then float32 multiply and add, in order
  /// NVIDIA Blackwell's mxf8f6f4: per 32 elements, products and accumulator are aligned to the
  /// largest exponent, truncated to 25 fraction bits, summed and rounded toward zero. Not mxint8.
  nvidia_blackwell,
};

/// block, exact, sequential, nvidia-blackwell; throws Error listing the names.
Accumulate parse_accumulate(std::string_view name);

struct GemmOptions {
  Accumulate accumulate = Accumulate::block;
  /// Policy block, both formats 4-bit: even and odd blocks in two chains, joined by one more
  /// rounding; the bias enters the even chain. Other pairs ignore it.
  bool dual = true;
  /// The result depends on neither of these.
  unsigned threads = 1;
  std::optional<SimdLevel> simd;  ///< default: the best the processor runs
};

/// C = A * B^T + bias, float32 [M][N].
///
/// a is [M][K], b is [N][K] (K contiguous), bias is [M][N] or null (zeros). NaN scales and
/// elements, Inf * 0 and Inf - Inf give NaN, every NaN is 0x7FC00000; Inf propagates with its sign.
/// K = 0 gives the bias, or zeros.
/// Throws Error if the depths differ, a tensor's vectors have the wrong size, or a policy lacks a
/// format.
std::vector<float> gemm(const MxTensor& a, const MxTensor& b, const float* bias,
                        const GemmOptions& options = {});
/// The same by a B of several products.
std::vector<float> gemm(const MxTensor& a, const PreparedOperand& b, const float* bias,
                        const GemmOptions& options = {});

/// gemm with the engine's policy `block`.
std::vector<float> gemm_block(const MxTensor& a, const MxTensor& b, const float* bias, bool dual);

/// Results [rows][columns] as an MX format along N (requantize.h): the ocp quantizer with a scale
/// rule; NaN or Inf poisons its block. Adds to *saturations, unless null, how many elements rounded
/// to more than the format's largest finite value.
MxTensor to_mx(const std::vector<float>& values, std::size_t rows, std::size_t columns,
               FormatId format, ScaleRule rule = ScaleRule::floor,
               Overflow overflow = Overflow::saturate, uint64_t* saturations = nullptr);

}  // namespace mx
