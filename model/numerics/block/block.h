// SPDX-License-Identifier: Apache-2.0
// Quantizes one block: first its scale, then its elements. The general path of every preset; the
// vector kernels (fast_blocks.h) give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/numerics/base/bits.h"
#include "model/numerics/block/quantizer_options.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

/// Two factors that multiply a code's value one after the other, each with a rounding. The second
/// is 1 if the ValueOrder multiplies the code only once.
struct CodeScale {
  float first = 1;
  float second = 1;

  float apply(float value) const { return value * first * second; }
};

struct BlockRules {
  QuantizerOptions options;
  ElementFormat format;       ///< with options.element_shift applied
  std::vector<float> values;  ///< value of each code of `format`
  ElementFormat scale_codes;  ///< scales with significand bits as a float format; else unused
  /// The tensor scale and, for encode_factor and encode_quotient, its inverse; else unused. Both
  /// are g for encode_division.
  float tensor_decode = 1;
  float tensor_encode = 1;
  float tensor_amax = 1;   ///< the amax that determines the tensor scale
  float tensor_limit = 1;  ///< the amax whose tensor scale is 1

  /// The amax of a tensor scale: t * tensor_limit, or tensor_limit / g for ValueOrder::division.
  float implied_amax(float tensor_scale) const;
  CodeScale code_scale(float block_scale) const;
  float scaled_value(float value, float block_scale) const {
    return code_scale(block_scale).apply(value);
  }
};

/// `array_amax` is used only with uses_tensor_scale and scales with significand bits.
BlockRules make_block_rules(const ElementFormat& format, const QuantizerOptions& options,
                            float array_amax);

/// Exact, unclamped scale exponent for amax > 0. Example: amax 6, E2M1 (emax 2), floor -> 0.
int exact_scale_exponent(const FloatParts& amax, const ElementFormat& format, ScaleRule rule,
                         std::optional<int> even_bits = {});

struct BlockScale {
  float value = 1;     ///< multiplies the codes' values; NaN or Inf: no finite scale
  int exponent = 0;    ///< value = 2^exponent if the scale is a power of two
  uint16_t code = 0;   ///< clamped to the scale format; all ones if not finite
  bool zeros = false;  ///< every element counts as +0; ZeroSign applies
};

BlockScale block_scale(const float* x, std::size_t count, const BlockRules& rules);
/// The scale of FourOverSix (largest code 4 or 6) with the smaller error.
BlockScale four_over_six_scale(const float* x, std::size_t count, const BlockRules& rules);
/// A scale with significand bits. `factor` multiplies it in arithmetics that support FourOverSix.
BlockScale real_scale(const float* x, std::size_t count, const BlockRules& rules, float factor);

/// Power-of-two scales: elements are divided by 2^divisor, codes multiplied by 2^decode.
struct ElementExponents {
  int divisor;
  int decode;
};
ElementExponents element_exponents(const BlockRules& rules, const BlockScale& scale);

/// Positions of a block's elements in the array; random_bits depends on them.
struct ElementPlace {
  std::size_t first = 0;
  std::size_t stride = 1;
};

/// Computes the codes of the elements under `scale` and, unless null, their dequantized values.
/// Values keep a NaN or Inf without a code (pass_through) and the sign of integer zeros.
void quantize_elements(const float* x, std::size_t count, const BlockRules& rules,
                       const BlockScale& scale, uint16_t* codes, float* dequantized,
                       const ElementPlace& place = {});

}  // namespace mxe::numerics
