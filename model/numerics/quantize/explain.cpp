// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/numerics/base/bits.h"
#include "model/numerics/block/block.h"
#include "model/numerics/quantize/scale_index.h"

namespace mxe::numerics {
namespace {

uint32_t code_of(const QuantizedArray& array, std::size_t at) {
  return array.has_wide_codes() ? array.wide_codes[at] : array.codes[at];
}

float block_amax(const float* x, const QuantizedArray& array, const ScaleIndex& index,
                 std::size_t block) {
  float amax = 0;
  for (std::size_t i = 0; i < array.dequantized.size(); i++) {
    const float magnitude = std::fabs(x[i]);
    if (index(i) == block && std::isfinite(magnitude)) amax = std::max(amax, magnitude);
  }
  return amax;
}

// Finds the code magnitudes next to |quotient|; beyond the largest code both are the largest.
void find_neighbours(const BlockRules& rules, ElementExplanation& element) {
  const double magnitude = std::fabs(element.quotient);
  element.below = 0;
  element.above = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (uint32_t code = 0; code <= rules.format.max_code; code++) {
    const double value = std::fabs(static_cast<double>(rules.values[code]));
    if (!std::isfinite(value)) continue;
    largest = std::max(largest, value);
    if (value <= magnitude) element.below = std::max(element.below, value);
    if (value >= magnitude) element.above = std::min(element.above, value);
  }
  if (!std::isfinite(element.above)) element.above = largest;
  element.tie =
      element.below < element.above && magnitude - element.below == element.above - magnitude;
}

Fate fate_of(const ElementExplanation& element) {
  const double magnitude = std::fabs(element.quotient);
  const double chosen = std::fabs(element.code_value);
  if (!std::isfinite(element.input) || !std::isfinite(element.scale) ||
      std::isnan(element.quotient) || std::isnan(element.code_value)) {
    return Fate::special;
  }
  if (magnitude == chosen) return Fate::exact;
  if (magnitude > element.above) return Fate::clipped;
  if (chosen == 0) return Fate::flushed;
  return chosen > magnitude ? Fate::rounded_up : Fate::rounded_down;
}

/// Zeros of different signs differ; any two NaNs are the same.
bool same_bits(float a, float b) {
  return to_bits(a) == to_bits(b) || (std::isnan(a) && std::isnan(b));
}

class Comparison {
 public:
  Comparison(const QuantizedArray& a, const QuantizedArray& b)
      : a_(a), b_(b), index_a_(a), index_b_(b) {}

  bool scale_differs(std::size_t i) const {
    return !same_bits(a_.scales[index_a_(i)], b_.scales[index_b_(i)]) ||
           !same_bits(tensor_scale_of(a_, index_a_, i), tensor_scale_of(b_, index_b_, i));
  }
  bool code_differs(std::size_t i) const { return code_of(a_, i) != code_of(b_, i); }
  bool value_differs(std::size_t i) const {
    return !same_bits(a_.dequantized[i], b_.dequantized[i]);
  }
  bool differs(std::size_t i) const {
    return scale_differs(i) || code_differs(i) || value_differs(i);
  }
  QuantizerDifference::Element element(std::size_t i) const {
    return {i, side(a_, index_a_, i), side(b_, index_b_, i), ""};
  }

 private:
  static QuantizerDifference::Side side(const QuantizedArray& array, const ScaleIndex& index,
                                        std::size_t i) {
    return {array.scales[index(i)], code_of(array, i), array.dequantized[i]};
  }

  const QuantizedArray& a_;
  const QuantizedArray& b_;
  const ScaleIndex index_a_;
  const ScaleIndex index_b_;
};

}  // namespace

const char* fate_name(Fate fate) {
  switch (fate) {
    case Fate::exact:
      return "exact";
    case Fate::rounded_up:
      return "rounded up";
    case Fate::rounded_down:
      return "rounded down";
    case Fate::clipped:
      return "clipped";
    case Fate::flushed:
      return "flushed to zero";
    case Fate::special:
      return "special";
  }
  return "";
}

ElementExplanation explain(const float* x, const QuantizedArray& array, std::size_t at) {
  if (at >= array.dequantized.size()) {
    throw Error(fmt::format("there is no element {} (allowed: 0 to {})", at,
                            static_cast<long long>(array.dequantized.size()) - 1));
  }
  const ScaleIndex index(array);
  const BlockRules rules = make_block_rules(array.format, array.options, array.tensor_amax);
  ElementExplanation element;
  element.input = x[at];
  element.block = index(at);
  element.amax = block_amax(x, array, index, element.block);
  element.scale = array.scales[element.block];
  if (array.has_scale_codes) element.scale_code = array.scale_codes[element.block];
  element.tensor_scale = tensor_scale_of(array, index, at);
  if (array.options.scale_format.is_power_of_two() && element.amax > 0) {
    element.rule_exponent = exact_scale_exponent(float_parts(to_bits(element.amax)), rules.format,
                                                 array.options.scale_rule);
  }
  element.quotient = static_cast<double>(x[at]) / (static_cast<double>(element.scale) *
                                                   static_cast<double>(element.tensor_scale));
  element.code = code_of(array, at);
  element.code_value = static_cast<double>(rules.values[element.code]);
  element.value = array.dequantized[at];
  find_neighbours(rules, element);
  element.fate = fate_of(element);
  return element;
}

QuantizerDifference quantizer_difference(const float* x, const std::vector<std::size_t>& shape,
                                         const Quantizer& a, const Quantizer& b,
                                         const QuantizeRequest& request) {
  if (a.format.name != b.format.name) {
    throw Error(fmt::format("the formats differ: {} and {}", a.format.name, b.format.name));
  }
  const auto quantized = [&](const QuantizerOptions& options) {
    return quantize(x, shape, a.format, options, request);
  };
  const QuantizedArray of_a = quantized(a.options);
  const QuantizedArray of_b = quantized(b.options);
  const Comparison comparison(of_a, of_b);
  QuantizerDifference result;
  result.elements = of_a.dequantized.size();
  for (std::size_t i = 0; i < result.elements; i++) {
    if (comparison.scale_differs(i)) result.scales++;
    if (comparison.code_differs(i)) result.codes++;
    if (comparison.value_differs(i)) result.values++;
    if (comparison.differs(i)) result.differing.push_back(comparison.element(i));
  }
  for (const QuantizerSwitch& one : quantizer_switches()) {
    if (one.same(a.options, b.options)) continue;
    QuantizerOptions changed = a.options;
    one.copy(b.options, changed);
    QuantizerDifference::Cause cause{one.name, 0};
    try {
      const QuantizedArray of_changed = quantized(changed);
      const Comparison rest(of_changed, of_b);
      for (QuantizerDifference::Element& element : result.differing) {
        if (rest.differs(element.at)) continue;
        cause.elements++;
        if (element.cause.empty()) element.cause = one.name;
      }
    } catch (const Error&) {
      // The switch is only valid together with other switches of b.
    }
    result.causes.push_back(cause);
  }
  for (QuantizerDifference::Element& element : result.differing) {
    if (element.cause.empty()) element.cause = "several switches together";
  }
  std::stable_sort(result.causes.begin(), result.causes.end(),
                   [](const auto& p, const auto& q) { return p.elements > q.elements; });
  return result;
}

}  // namespace mxe::numerics
