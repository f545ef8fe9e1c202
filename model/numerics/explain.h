// SPDX-License-Identifier: Apache-2.0
// What quantizing did to one element, and where and why two quantizers part.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/presets.h"
#include "model/numerics/quantize.h"

namespace mx {

/// What became of an element.
enum class Fate : uint8_t {
  exact,         ///< its quotient is a code's value
  rounded_up,    ///< away from zero
  rounded_down,  ///< toward zero
  clipped,       ///< beyond the largest code
  flushed,       ///< not zero, and became zero
  special,       ///< NaN or Inf, or under a scale that is no number
};
const char* fate_name(Fate fate);

/// One element, step by step.
struct ElementExplanation {
  float input = 0;
  std::size_t block = 0;  ///< index of its scale
  float amax = 0;         ///< largest finite magnitude under that scale
  float scale = 1;
  std::optional<unsigned> scale_code;
  float tensor_scale = 1;
  std::optional<int> rule_exponent;  ///< of power-of-two scales, as the scale rule in exact
                                     ///< arithmetic has it, before clamping
  double quotient = 0;               ///< input / (scale x tensor scale)
  double below = 0, above = 0;  ///< magnitudes of the codes around it; equal if it is one of them
  bool tie = false;             ///< as far from the one as from the other
  uint32_t code = 0;
  double code_value = 0;  ///< without scales
  float value = 0;
  Fate fate = Fate::exact;
};

/// Explains element `at` of x, whose quantization (with values) is `array`. Throws Error if there
/// is no such element.
ElementExplanation explain(const float* x, const QuantizedArray& array, std::size_t at);

/// What two quantizers disagree about in an array.
struct QuantizerDifference {
  /// What one of the two makes of an element.
  struct Side {
    float scale;  ///< of its block
    uint32_t code;
    float value;
  };
  struct Element {
    std::size_t at;
    Side a, b;
    std::string cause;  ///< the switch that makes this difference alone, or several of them
  };
  struct Cause {
    std::string name;          ///< of the switch in QuantizerOptions
    std::size_t elements = 0;  ///< that agree with b if a has only this switch of b
  };
  std::size_t elements = 0;   ///< compared
  std::size_t scales = 0;     ///< elements whose scale differs
  std::size_t codes = 0;      ///< elements whose code differs
  std::size_t values = 0;     ///< elements whose value differs in any bit, NaNs being alike
  std::vector<Cause> causes;  ///< switches in which a and b differ, those that explain most first
  std::vector<Element> differing;
};

/// Quantizes x by a and by b, which must have the same format.
QuantizerDifference quantizer_difference(const float* x, const std::vector<std::size_t>& shape,
                                         const Quantizer& a, const Quantizer& b,
                                         const QuantizeRequest& request = {});

}  // namespace mx
