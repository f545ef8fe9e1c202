// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "model/numerics/quantize/explain.h"
#include "model/numerics/quantize/study.h"
#include "sw/python/src/quantized.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

nb::dict to_dict(const numerics::QuantizationStats& stats) {
  nb::dict result;
  result["elements"] = stats.elements;
  result["blocks"] = stats.blocks;
  result["sqnr_db"] = stats.sqnr_db;
  result["max_error"] = stats.max_error;
  result["mean_error"] = stats.mean_error;
  result["clipped"] = stats.clipped;
  result["flushed"] = stats.flushed;
  result["nans"] = stats.nans;
  result["nan_scales"] = stats.nan_scales;
  result["bits_per_element"] = stats.bits_per_element;
  result["scale_histogram"] = nb::cast(stats.scale_histogram);
  return result;
}

nb::tuple to_tuple(const numerics::QuantizerDifference::Side& side) {
  return nb::make_tuple(side.scale, side.code, side.value);
}

nb::dict to_dict(const numerics::QuantizerDifference& difference, const float* x,
                 std::size_t show) {
  nb::list causes, shown;
  for (const numerics::QuantizerDifference::Cause& cause : difference.causes) {
    causes.append(nb::make_tuple(cause.name, cause.elements));
  }
  for (std::size_t i = 0; i < std::min(show, difference.differing.size()); i++) {
    const numerics::QuantizerDifference::Element& element = difference.differing[i];
    shown.append(nb::make_tuple(element.at, x[element.at], element.cause, to_tuple(element.a),
                                to_tuple(element.b)));
  }
  nb::dict result;
  result["elements"] = difference.elements;
  result["differing"] = difference.differing.size();
  result["scales"] = difference.scales;
  result["codes"] = difference.codes;
  result["values"] = difference.values;
  result["causes"] = causes;
  result["shown"] = shown;
  return result;
}

nb::dict to_dict(const numerics::ElementExplanation& element) {
  nb::dict result;
  result["input"] = element.input;
  result["value"] = element.value;
  result["block"] = element.block;
  result["amax"] = element.amax;
  result["scale"] = element.scale;
  result["scale_code"] = nb::cast(element.scale_code);
  result["tensor_scale"] = element.tensor_scale;
  result["quotient"] = element.quotient;
  result["below"] = element.below;
  result["above"] = element.above;
  result["tie"] = element.tie;
  result["code"] = element.code;
  result["code_value"] = element.code_value;
  result["fate"] = numerics::fate_name(element.fate);
  return result;
}

nb::dict stats(const AnyArray& array, bool bfloat16_bits, const NamedQuantizer& quantizer, int axis,
               const Quantized* expected, unsigned threads) {
  const Input x(array, bfloat16_bits, "x");
  if (expected && x.shape() != expected->array.shape) {
    throw Error("x does not have the shape of the array that was quantized");
  }
  std::optional<numerics::QuantizationStats> result;
  {
    const nb::gil_scoped_release released;
    const numerics::QuantizedArray quantized =
        quantize(x, quantizer.quantizer, axis, threads, true);
    if (expected && (quantized.codes != expected->array.codes ||
                     quantized.wide_codes != expected->array.wide_codes)) {
      throw Error("x is not the array that was quantized: its codes differ");
    }
    std::vector<float> buffer;
    result = numerics::quantization_stats(x.floats(0, x.size(), buffer), quantized);
  }
  return to_dict(*result);
}

nb::dict diff(const AnyArray& array, bool bfloat16_bits, const NamedQuantizer& a,
              const NamedQuantizer& b, int axis, std::size_t show, unsigned threads) {
  const Input x(array, bfloat16_bits, "x");
  std::vector<float> buffer;
  numerics::QuantizerDifference result;
  const float* values = nullptr;
  {
    const nb::gil_scoped_release released;
    values = x.floats(0, x.size(), buffer);
    numerics::QuantizeRequest request;
    request.axis = axis;
    request.threads = threads;
    result = numerics::quantizer_difference(values, x.shape(), a.quantizer, b.quantizer, request);
  }
  return to_dict(result, values, show);
}

nb::list explain(const AnyArray& array, bool bfloat16_bits, const NamedQuantizer& quantizer,
                 int axis, const std::optional<std::vector<std::size_t>>& at) {
  const Input x(array, bfloat16_bits, "x");
  std::vector<float> buffer;
  std::vector<numerics::ElementExplanation> elements;
  {
    const nb::gil_scoped_release released;
    const float* values = x.floats(0, x.size(), buffer);
    numerics::QuantizeRequest request;
    request.axis = axis;
    const numerics::QuantizedArray quantized = numerics::quantize(
        values, x.shape(), quantizer.quantizer.format, quantizer.quantizer.options, request);
    const std::size_t count = at ? at->size() : x.size();
    for (std::size_t i = 0; i < count; i++) {
      elements.push_back(numerics::explain(values, quantized, at ? (*at)[i] : i));
      check_signals();
    }
  }
  nb::list result;
  for (const numerics::ElementExplanation& element : elements) result.append(to_dict(element));
  return result;
}

}  // namespace

void bind_studies(nb::module_& module) {
  module.def("stats", &stats, "x"_a.noconvert(), "bfloat16_bits"_a, "quantizer"_a, "axis"_a,
             "expected"_a.none(), "threads"_a);
  module.def("diff", &diff, "x"_a.noconvert(), "bfloat16_bits"_a, "a"_a, "b"_a, "axis"_a, "show"_a,
             "threads"_a);
  module.def("explain", &explain, "x"_a.noconvert(), "bfloat16_bits"_a, "quantizer"_a, "axis"_a,
             "at"_a.none());
}

}  // namespace mxe::python
