// SPDX-License-Identifier: Apache-2.0
#include "sw/python/src/quantizers.h"

#include <nanobind/operators.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "model/numerics/block/format_info.h"
#include "model/numerics/block/switches.h"
#include "model/numerics/quantize/study.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

nb::dict describe(const numerics::FormatInfo& info) {
  const numerics::ElementFormat format = numerics::parse_any_format(info.name);
  nb::dict result;
  result["name"] = info.name;
  result["bits"] = info.bits;
  result["exponent_bits"] = info.exponent_bits;
  result["mantissa_bits"] = info.mantissa_bits;
  result["bias"] = format.bias;
  result["emax"] = format.emax;
  result["max"] = info.max;
  result["min_normal"] = info.min_normal;
  result["min_subnormal"] = info.min_subnormal;
  result["has_inf"] = format.has_inf;
  result["has_nan"] = format.has_nan;
  result["block"] = info.block_size;
  result["scale"] = info.scale;
  result["bits_per_element"] = info.bits_per_element;
  result["compression_fp32"] = info.compression_fp32;
  result["compression_fp16"] = info.compression_fp16;
  return result;
}

NamedQuantizer make(const std::string& format, const std::string& preset,
                    const numerics::Overrides& switches) {
  return {numerics::make_quantizer(format, preset, switches), format, preset};
}

std::map<std::string, numerics::SwitchValue> switches_of(const NamedQuantizer& self) {
  std::map<std::string, numerics::SwitchValue> values;
  for (const numerics::QuantizerSwitch& one : numerics::quantizer_switches()) {
    values[one.name] = numerics::switch_value(self.quantizer.options, one.name);
  }
  return values;
}

std::map<std::string, numerics::SwitchValue> changes_of(const NamedQuantizer& self) {
  const numerics::Quantizer preset = numerics::make_quantizer(self.format, self.preset);
  std::map<std::string, numerics::SwitchValue> values;
  for (const numerics::QuantizerSwitch& one : numerics::quantizer_switches()) {
    if (one.same(preset.options, self.quantizer.options)) continue;
    values[one.name] = numerics::switch_value(self.quantizer.options, one.name);
  }
  return values;
}

}  // namespace

void bind_quantizers(nb::module_& module) {
  nb::class_<NamedQuantizer>(module, "Quantizer", "A format and how numbers are brought to it.")
      .def(
          "__init__",
          [](NamedQuantizer* self, const std::string& format, const std::string& preset,
             const numerics::Overrides& switches) {
            new (self) NamedQuantizer(make(format, preset, switches));
          },
          "format"_a, "preset"_a, "switches"_a)
      .def_ro("format", &NamedQuantizer::format)
      .def_ro("preset", &NamedQuantizer::preset)
      .def_prop_ro("switches", &switches_of)
      .def_prop_ro("changes", &changes_of)
      .def_prop_ro("bits", [](const NamedQuantizer& self) { return self.quantizer.format.bits; })
      .def("same", [](const NamedQuantizer& self, const NamedQuantizer& other) {
        return self.quantizer.format.name == other.quantizer.format.name &&
               self.quantizer.options == other.quantizer.options;
      });
  module.def("formats", [] {
    nb::list all;
    for (const numerics::FormatInfo& info : numerics::all_format_infos())
      all.append(describe(info));
    return all;
  });
  module.def("format_info", [](const std::string& name) {
    nb::dict result = describe(numerics::format_info(name));
    result["name"] = name == "nvfp4" ? name : numerics::parse_any_format(name).name;
    return result;
  });
  module.def("presets", [] {
    nb::list all;
    for (const numerics::PresetInfo& info : numerics::preset_infos()) {
      all.append(nb::make_tuple(info.name, info.formats, info.release));
    }
    return all;
  });
  module.def("has_format", [](const std::string& preset, const std::string& format) {
    numerics::parse_any_format(format);
    try {
      numerics::make_quantizer(format, preset);
      return true;
    } catch (const Error&) {
      return false;
    }
  });
  module.def("common_formats", &numerics::common_formats);
}

}  // namespace mxe::python
