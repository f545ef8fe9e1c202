// SPDX-License-Identifier: Apache-2.0
// Quantizing one block: its scale, then its elements. Every preset goes through these two
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/numerics/bits.h"
#include "model/numerics/format.h"
#include "model/numerics/quantizer_options.h"

namespace mx {

/// Two factors by which a code's value is multiplied, one after the other; where a ValueOrder has
/// one product only, the second factor is 1, which changes nothing.
struct CodeScale {
  float first = 1;
  float second = 1;

  float apply(float value) const { return value * first * second; }
};

/// What all blocks of an array share.
struct BlockRules {
  QuantizerOptions options;
  ElementFormat format;       ///< with options.element_shift applied
  std::vector<float> values;  ///< of every code of `format`
  ElementFormat scale_codes;  ///< scales with significand bits as a float format; else unused
  /// The NVFP4 arithmetics' tensor scale and its inverse as encode_factor computes it; else 1.
  float tensor_decode = 1;
  float tensor_encode = 1;
  float tensor_amax = 1;   ///< what the tensor scale was made of
  float tensor_limit = 1;  ///< the amax whose tensor scale is 1

  /// What makes the values of codes under a block scale.
  CodeScale code_scale(float block_scale) const;
  /// Value of a code, whose value without scales is `value`, under a block scale.
  float scaled_value(float value, float block_scale) const {
    return code_scale(block_scale).apply(value);
  }
};

/// `array_amax` matters only with options.uses_tensor_scale.
BlockRules make_block_rules(const ElementFormat& format, const QuantizerOptions& options,
                            float array_amax);

/// Scale exponent of a block with this amax > 0 in exact arithmetic, before any clamping.
int exact_scale_exponent(const FloatParts& amax, const ElementFormat& format, ScaleRule rule);

struct BlockScale {
  float value = 1;     ///< what codes are multiplied with; NaN or Inf if the block has no number
  int exponent = 0;    ///< value = 2^exponent where the scale is a power of two
  uint16_t code = 0;   ///< in the scale format, if it can hold the value
  bool zeros = false;  ///< every element counts as +0
};

/// Scale of the block x[0..count), which may have several rows of options.block_size.
BlockScale block_scale(const float* x, std::size_t count, const BlockRules& rules);
/// The one of the two scales of FourOverSix that gives the smaller error.
BlockScale four_over_six_scale(const float* x, std::size_t count, const BlockRules& rules);
/// A scale with significand bits; `factor` raises it in the arithmetics that FourOverSix has.
BlockScale real_scale(const float* x, std::size_t count, const BlockRules& rules, float factor);

/// Power-of-two scales: elements are divided by 2^divisor and codes multiplied with 2^decode.
struct ElementExponents {
  int divisor;
  int decode;
};
ElementExponents element_exponents(const BlockRules& rules, const BlockScale& scale);

/// Where the elements of a block lie in their array, for what depends on it (random_bits).
struct ElementPlace {
  std::size_t first = 0;
  std::size_t stride = 1;
};

/// Codes of the elements under `scale`, and the values they stand for (also where no code does, see
/// NanElement::pass_through, and with the sign of integer zeros). `dequantized` may be null.
void quantize_elements(const float* x, std::size_t count, const BlockRules& rules,
                       const BlockScale& scale, uint16_t* codes, float* dequantized,
                       const ElementPlace& place = {});

}  // namespace mx
