// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>

#include "model/numerics/formats/encode.h"
#include "model/numerics/formats/log2.h"
#include "model/numerics/quantize/scale_index.h"
#include "sw/python/src/quantized.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

// 1 where a finite number exceeds the largest element times its scales.
nb::object clipped(const AnyArray& array, bool bfloat16_bits, const NamedQuantizer& quantizer,
                   int axis, unsigned threads) {
  const Input x(array, bfloat16_bits, "x");
  std::vector<uint8_t> marks(x.size());
  {
    const nb::gil_scoped_release released;
    const numerics::QuantizedArray values = quantize(x, quantizer.quantizer, axis, threads, false);
    const double largest = std::ldexp(values.format.max, values.options.element_shift);
    const numerics::ScaleIndex scale_of(values);
    std::vector<float> buffer;
    const float* numbers = x.floats(0, x.size(), buffer);
    for (std::size_t i = 0; i < marks.size(); i++) {
      const double scale = static_cast<double>(values.scales[scale_of(i)]) *
                           static_cast<double>(tensor_scale_of(values, scale_of, i));
      const double magnitude = std::fabs(static_cast<double>(numbers[i]));
      marks[i] = std::isfinite(magnitude) && magnitude > largest * scale;
    }
  }
  return nb::cast(owned(std::move(marks), x.shape()));
}

// A binary float of IEEE 754. `float32_steps`: finds the binade with a rounded log2f and rounds by
// adding one half in float32, as microxcaling does without CUDA.
struct NarrowFloat {
  int mantissa_bits;
  int emin;
  double max;
  bool subnormals;
  bool float32_steps;
  numerics::Rounding rounding;

  NarrowFloat(int exponent_bits, int mantissa, bool subnormal, bool steps, numerics::Rounding round)
      : mantissa_bits(mantissa),
        emin(2 - (1 << (exponent_bits - 1))),
        max(std::ldexp(2 - std::ldexp(1.0, -mantissa), (1 << (exponent_bits - 1)) - 1)),
        subnormals(subnormal),
        float32_steps(steps),
        rounding(round) {}

  float operator()(float x) const {
    constexpr int kSignificandBits = 24;
    if (x == 0 || !std::isfinite(x)) return x;
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(static_cast<double>(x)), &exponent);
    if (!subnormals && exponent - 1 < emin) return 0.0f;
    const auto significand = static_cast<uint32_t>(std::ldexp(fraction, kSignificandBits));
    const int binade =
        float32_steps
            ? numerics::floor_log2_float32({false, significand, exponent - kSignificandBits})
            : exponent - 1;
    const int step = std::max(binade, emin) - mantissa_bits;
    const uint64_t rounded =
        numerics::round_shifted(significand, exponent - kSignificandBits - step, rounding);
    const double value = std::ldexp(static_cast<double>(rounded), step);
    const float magnitude =
        value > max ? std::numeric_limits<float>::infinity() : static_cast<float>(value);
    return std::copysign(magnitude, x);
  }
};

numerics::Rounding rule_of(const std::string& rounding, bool float32_steps) {
  if (rounding == "nearest") {
    return float32_steps ? numerics::Rounding::nearest_away_float32
                         : numerics::Rounding::nearest_away;
  }
  if (rounding == "even") {
    return float32_steps ? numerics::Rounding::nearest_even_float32
                         : numerics::Rounding::nearest_even;
  }
  if (rounding == "floor") return numerics::Rounding::toward_zero;
  throw Error("unknown rounding '" + rounding + "' (allowed: nearest, even, floor)");
}

nb::object round_elements(const AnyArray& array, bool bfloat16_bits, int exponent_bits,
                          int mantissa_bits, const std::string& rounding, bool subnormals,
                          bool float32_steps) {
  if (exponent_bits < 2 || exponent_bits > 8 || mantissa_bits < 1 || mantissa_bits > 23) {
    throw Error("a narrower float has 2 to 8 exponent bits and 1 to 23 mantissa bits");
  }
  const Input x(array, bfloat16_bits, "x");
  const NarrowFloat narrow(exponent_bits, mantissa_bits, subnormals, float32_steps,
                           rule_of(rounding, float32_steps));
  std::vector<float> values(x.size());
  {
    const nb::gil_scoped_release released;
    std::vector<float> buffer;
    const float* numbers = x.floats(0, x.size(), buffer);
    for (std::size_t i = 0; i < values.size(); i++) values[i] = narrow(numbers[i]);
  }
  return nb::cast(owned(std::move(values), x.shape()));
}

}  // namespace

void bind_elements(nb::module_& module) {
  module.def("clipped", &clipped, "x"_a.noconvert(), "bfloat16_bits"_a, "quantizer"_a, "axis"_a,
             "threads"_a);
  module.def("round_elements", &round_elements, "x"_a.noconvert(), "bfloat16_bits"_a,
             "exponent_bits"_a, "mantissa_bits"_a, "rounding"_a, "subnormals"_a, "float32_steps"_a);
}

}  // namespace mxe::python
