// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {

enum class Fate : uint8_t {
  exact,         ///< the quotient is a code's value
  rounded_up,    ///< away from zero
  rounded_down,  ///< toward zero
  clipped,       ///< beyond the largest code
  flushed,       ///< a nonzero input became zero
  special,       ///< NaN or Inf, or a scale that is not finite
};
const char* fate_name(Fate fate);

struct ElementExplanation {
  float input = 0;
  std::size_t block = 0;  ///< index of its scale
  float amax = 0;         ///< largest finite magnitude of the block
  float scale = 1;
  std::optional<unsigned> scale_code;
  float tensor_scale = 1;
  std::optional<int> rule_exponent;  ///< power-of-two scales: exact result of the scale rule,
                                     ///< before clamping
  double quotient = 0;               ///< input / (scale * tensor scale)
  double below = 0, above = 0;  ///< nearest code magnitudes; equal if |quotient| is one or beyond
  bool tie = false;             ///< the quotient is halfway between them
  uint32_t code = 0;
  double code_value = 0;  ///< without scales
  float value = 0;
  Fate fate = Fate::exact;
};

/// `array` is the quantization of x, with dequantized values. Throws Error if `at` is out of range.
ElementExplanation explain(const float* x, const QuantizedArray& array, std::size_t at);

/// Comparison of two quantizers, a and b, on an array.
struct QuantizerDifference {
  struct Side {
    float scale;
    uint32_t code;
    float value;
  };
  struct Element {
    std::size_t at;
    Side a, b;
    std::string cause;  ///< the first switch that alone removes the difference, or "several ..."
  };
  struct Cause {
    std::string name;
    std::size_t elements = 0;  ///< differing elements that become equal if a uses b's switch
  };
  std::size_t elements = 0;
  std::size_t scales = 0;     ///< elements whose scales differ
  std::size_t codes = 0;      ///< elements whose codes differ
  std::size_t values = 0;     ///< elements whose values differ in any bit; NaNs are equal
  std::vector<Cause> causes;  ///< switches that differ, most elements first
  std::vector<Element> differing;
};

/// Quantizes x by a and by b. Throws Error unless they have the same format.
QuantizerDifference quantizer_difference(const float* x, const std::vector<std::size_t>& shape,
                                         const Quantizer& a, const Quantizer& b,
                                         const QuantizeRequest& request = {});

}  // namespace mxe::numerics
