// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <limits>
#include <map>
#include <tuple>

#include "model/numerics/base/bits.h"
#include "model/numerics/block/code_type.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/safetensors.h"
#include "model/numerics/formats/layout.h"
#include "model/numerics/formats/scale_checks.h"
#include "model/numerics/quantize/assemble.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/batches.h"
#include "model/numerics/quantize/dequantize.h"
#include "model/numerics/quantize/operand.h"
#include "sw/python/src/quantized.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

using Shape = std::vector<std::size_t>;

// `self` owns the memory.
template <typename T>
nb::object view(const nb::object& self, std::vector<T>& values, const Shape& shape) {
  return nb::cast(nb::ndarray<nb::numpy, T>(values.data(), shape.size(), shape.data(), self));
}

Quantized& quantized(const nb::object& self) { return nb::cast<Quantized&>(self); }

nb::object codes_of(const nb::object& self) {
  numerics::QuantizedArray& array = quantized(self).array;
  quantized(self).kept->may_change();
  if (array.has_wide_codes()) return view(self, array.wide_codes, array.shape);
  return view(self, array.codes, array.shape);
}

nb::object scales_of(const nb::object& self) {
  numerics::QuantizedArray& array = quantized(self).array;
  quantized(self).kept->may_change();
  if (array.has_scale_codes) return view(self, array.scale_codes, array.scale_shape);
  return view(self, array.scales, array.scale_shape);
}

nb::object rows_of(const nb::object& self, std::vector<float>& values) {
  if (!quantized(self).array.options.row_scaled) return nb::none();
  Shape shape = quantized(self).array.shape;
  if (!shape.empty()) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(quantized(self).array.axis));
  }
  return view(self, values, shape);
}

// Recomputes the scales if Python may have written their codes.
void renew_scales(Quantized& self) {
  numerics::QuantizedArray& array = self.array;
  if (!array.has_scale_codes || !self.kept->changes()) return;
  const std::vector<float> table = numerics::scale_values(array.options.scale_format);
  for (std::size_t i = 0; i < array.scale_codes.size(); i++) {
    const std::size_t code = array.scale_codes[i];
    const float scale = code < table.size() ? table[code] : std::numeric_limits<float>::quiet_NaN();
    // Writes changed scales only: another thread may read the others.
    if (to_bits(scale) != to_bits(array.scales[i])) array.scales[i] = scale;
  }
}

nb::object dequantized(Quantized& self, int form, unsigned threads) {
  const auto stored = static_cast<Stored>(form);
  std::vector<float> values;
  std::vector<uint8_t> bytes;
  renew_scales(self);
  {
    const nb::gil_scoped_release released;
    values = numerics::dequantize(self.array, threads_for(self.array.scales.size(), threads));
    if (stored != Stored::float32) append_stored(values.data(), values.size(), stored, bytes);
  }
  if (stored == Stored::float32) return nb::cast(owned(std::move(values), self.array.shape));
  return stored_array(std::move(bytes), stored, self.array.shape);
}

numerics::NibbleOrder parse_order(const std::string& order) {
  if (order == "low") return numerics::NibbleOrder::low;
  if (order == "high") return numerics::NibbleOrder::high;
  throw Error("unknown order '" + order + "' (allowed: low, high)");
}

nb::object packed(const Quantized& self, const std::string& order) {
  const numerics::QuantizedArray& array = self.array;
  const numerics::NibbleOrder nibbles = parse_order(order);
  numerics::require_packing(array.format.bits, nibbles);
  const numerics::AxisView along = array.shape.empty()
                                       ? numerics::AxisView{}
                                       : numerics::split_at(array.shape, array.shape.size() - 1);
  std::vector<uint8_t> bytes;
  {
    const nb::gil_scoped_release released;
    bytes = numerics::pack_codes(array.codes.data(), along.outer, along.length, array.format.bits,
                                 nibbles);
  }
  Shape shape = array.shape.empty() ? Shape{1} : array.shape;
  shape.back() = numerics::packed_bytes(along.length, array.format.bits);
  return nb::cast(owned(std::move(bytes), shape));
}

nb::object swizzled(const Quantized& self) {
  const numerics::QuantizedArray& array = self.array;
  numerics::require_swizzle(array.has_scale_codes, array.scale_shape.size(), array.axis,
                            array.shape.size());
  const numerics::AxisView along = numerics::split_at(array.scale_shape, array.axis);
  std::vector<uint8_t> bytes =
      numerics::swizzle_scales(array.scale_codes.data(), along.outer, along.length);
  const std::size_t size = bytes.size();
  return nb::cast(owned(std::move(bytes), {size}));
}

template <typename T>
using Codes = nb::ndarray<nb::ro, const T, nb::c_contig, nb::device::cpu>;

template <typename T>
std::vector<T> values_of(const Codes<T>& array) {
  return {array.data(), array.data() + array.size()};
}

template <typename T>
Shape shape_of(const Codes<T>& array) {
  Shape shape;
  for (std::size_t axis = 0; axis < array.ndim(); axis++) shape.push_back(array.shape(axis));
  return shape;
}

// E8M0 has one NaN, which standard blocks may have; other scales with NaN are usually codes of
// another format.
void refuse_nan_scales(const numerics::ArrayParts& parts, const numerics::ScaleFormat& scales) {
  const std::optional<numerics::ScaleKind> kind = numerics::find_scale_kind(scales);
  if (!kind || numerics::is_power_of_two(*kind)) return;
  numerics::refuse_nan_scales(parts.scale_codes, *kind, parts.scales_name);
}

Quantized from_parts(const std::optional<Codes<uint8_t>>& codes,
                     const std::optional<Codes<uint16_t>>& wide_codes,
                     const std::optional<Codes<uint8_t>>& scale_codes,
                     const std::optional<Codes<float>>& scales, const NamedQuantizer& quantizer,
                     int axis, std::optional<float> tensor_scale, std::optional<float> tensor_amax,
                     const std::optional<std::vector<float>>& row_amaxes, bool is_stored) {
  numerics::ArrayParts parts;
  parts.shape = codes ? shape_of(*codes) : shape_of(*wide_codes);
  if (codes) parts.codes = values_of(*codes);
  if (wide_codes) parts.wide_codes = values_of(*wide_codes);
  parts.has_scale_codes = scale_codes.has_value();
  parts.scale_shape = scale_codes ? shape_of(*scale_codes) : shape_of(*scales);
  if (scale_codes) parts.scale_codes = values_of(*scale_codes);
  if (scales) parts.scales = values_of(*scales);
  parts.axis = axis;
  parts.tensor_scale = tensor_scale;
  parts.tensor_amax = tensor_amax;
  parts.row_amaxes = row_amaxes;
  parts.is_stored = is_stored;
  if (!is_stored) refuse_nan_scales(parts, quantizer.quantizer.options.scale_format);
  return {numerics::assemble(std::move(parts), quantizer.quantizer), quantizer};
}

template <typename T>
numerics::NamedTensor tensor_of(const std::string& name, std::string_view type,
                                numerics::DType dtype, const std::vector<T>& values,
                                const Shape& shape) {
  numerics::NamedTensor tensor{name, std::string(type), {}};
  tensor.array.dtype = dtype;
  tensor.array.shape = shape;
  tensor.array.data.resize(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(tensor.array.data.data(), values.data(), tensor.array.data.size());
  return tensor;
}

void add_tensors(const std::string& prefix, const numerics::QuantizedArray& array,
                 std::vector<numerics::NamedTensor>& tensors) {
  if (array.has_wide_codes()) {
    tensors.push_back(
        tensor_of(prefix + "elements", "", numerics::DType::uint16, array.wide_codes, array.shape));
  } else {
    std::string_view type = numerics::code_type(array.format).safetensors;
    const bool odd = array.shape.empty() || array.shape.back() % 2 != 0;
    if (type == "F4" && odd) type = {};  // two F4 elements share a byte
    const numerics::DType dtype = type == "I8" ? numerics::DType::int8 : numerics::DType::uint8;
    tensors.push_back(tensor_of(prefix + "elements", type, dtype, array.codes, array.shape));
  }
  if (!array.has_scale_codes) {
    tensors.push_back(tensor_of(prefix + "scales", "", numerics::DType::float32, array.scales,
                                array.scale_shape));
  } else {
    tensors.push_back(tensor_of(prefix + "scales",
                                numerics::code_type(array.options.scale_format).safetensors,
                                numerics::DType::uint8, array.scale_codes, array.scale_shape));
  }
  const numerics::WholeScale whole = numerics::whole_scale(array.options);
  if (whole == numerics::WholeScale::tensor_scale || whole == numerics::WholeScale::tensor_amax) {
    const auto add = [&](const char* name, float value) {
      tensors.push_back(
          tensor_of(prefix + name, "", numerics::DType::float32, std::vector<float>{value}, {}));
    };
    add("tensor_scale", array.tensor_scale);
    add("tensor_amax", array.tensor_amax);
  }
  if (array.options.row_scaled) {
    tensors.push_back(tensor_of(prefix + "row_amax", "", numerics::DType::float32, array.row_amaxes,
                                {array.row_amaxes.size()}));
  }
}

void save(const std::string& path, const std::map<std::string, const Quantized*>& arrays,
          const std::map<std::string, std::string>& metadata) {
  const nb::gil_scoped_release released;
  std::vector<numerics::NamedTensor> tensors;
  for (const auto& [prefix, array] : arrays) add_tensors(prefix, array->array, tensors);
  const std::vector<uint8_t> bytes = numerics::format_safetensors(tensors, metadata);
  numerics::write_file(path, bytes.data(), bytes.size());
}

nb::object array_of(numerics::NpyArray array) {
  const auto typed = [&array](auto sample) {
    std::vector<decltype(sample)> values(array.size());
    if (!values.empty()) std::memcpy(values.data(), array.data.data(), array.data.size());
    return nb::cast(owned(std::move(values), array.shape));
  };
  switch (array.dtype) {
    case numerics::DType::uint8:
    case numerics::DType::int8:
      return typed(uint8_t{});
    case numerics::DType::uint16:
      return typed(uint16_t{});
    case numerics::DType::float32:
      return typed(0.0f);
    default:
      return nb::none();
  }
}

// Skips tensors of types that SafetensorsFile::read() rejects.
nb::tuple load(const std::string& path) {
  std::vector<numerics::NamedTensor> tensors;
  std::map<std::string, std::string> metadata;
  {
    const nb::gil_scoped_release released;
    const std::vector<uint8_t> bytes = numerics::read_file(path);
    const numerics::SafetensorsFile file(bytes.data(), bytes.size(), path);
    for (const numerics::SafetensorsFile::Entry& entry : file.entries()) {
      try {
        tensors.push_back(file.read(entry));
      } catch (const TypeError&) {  // other tensors of a checkpoint
      }
    }
    metadata = numerics::safetensors_metadata(bytes.data(), bytes.size(), path);
  }
  nb::dict arrays;
  for (numerics::NamedTensor& tensor : tensors) {
    arrays[tensor.name.c_str()] = array_of(std::move(tensor.array));
  }
  return nb::make_tuple(arrays, metadata);
}

}  // namespace

void bind_arrays(nb::module_& module) {
  nb::class_<Quantized>(module, "Quantized", "Codes and scales, with what they mean.")
      .def_prop_ro("codes", &codes_of)
      .def_prop_ro("scales", &scales_of)
      .def_prop_ro("scale_values",
                   [](const nb::object& self) {
                     renew_scales(quantized(self));
                     numerics::QuantizedArray& array = quantized(self).array;
                     return view(self, array.scales, array.scale_shape);
                   })
      .def_prop_ro("has_scale_codes",
                   [](const Quantized& self) { return self.array.has_scale_codes; })
      .def_prop_ro("tensor_scale", [](const Quantized& self) { return self.array.tensor_scale; })
      .def_prop_ro("tensor_amax", [](const Quantized& self) { return self.array.tensor_amax; })
      .def_prop_ro(
          "row_scales",
          [](const nb::object& self) { return rows_of(self, quantized(self).array.row_scales); })
      .def_prop_ro(
          "row_amaxes",
          [](const nb::object& self) { return rows_of(self, quantized(self).array.row_amaxes); })
      .def_prop_ro("shape",
                   [](const Quantized& self) {
                     nb::list shape;
                     for (const std::size_t dimension : self.array.shape) shape.append(dimension);
                     return nb::tuple(shape);
                   })
      .def_prop_ro("axis", [](const Quantized& self) { return self.array.axis; })
      .def_prop_ro("block", [](const Quantized& self) { return self.array.options.block_size; })
      .def_prop_ro("scale_format",
                   [](const Quantized& self) {
                     return self.array.has_scale_codes ? self.array.options.scale_format.name()
                                                       : std::string("float32");
                   })
      .def_ro("quantizer", &Quantized::quantizer)
      .def("dequantize", &dequantized, "form"_a, "threads"_a)
      .def("pack", &packed, "order"_a)
      .def("scales_swizzled", &swizzled);
  module.def("from_parts", &from_parts, "codes"_a.none(), "wide_codes"_a.none(),
             "scale_codes"_a.none(), "scales"_a.none(), "quantizer"_a, "axis"_a,
             "tensor_scale"_a.none(), "tensor_amax"_a.none(), "row_amaxes"_a.none(), "is_stored"_a);
  module.def(
      "unpack",
      [](const Codes<uint8_t>& bytes, int bits, const std::string& order, std::size_t length) {
        Shape shape = shape_of(bytes);
        if (shape.empty()) throw Error("packed codes must have an axis");
        const numerics::NibbleOrder nibbles = parse_order(order);
        numerics::require_packing(bits, nibbles);
        length = numerics::unpacked_length(shape.back(), bits,
                                           length == 0 ? std::nullopt : std::optional(length));
        const numerics::AxisView along = numerics::split_at(shape, shape.size() - 1);
        std::vector<uint8_t> codes =
            numerics::unpack_codes(bytes.data(), along.outer, length, bits, nibbles, along.length);
        shape.back() = length;
        return nb::cast(owned(std::move(codes), shape));
      },
      "bytes"_a, "bits"_a, "order"_a, "length"_a);
  module.def("save", &save);
  module.def("load", &load);
}

}  // namespace mxe::python
