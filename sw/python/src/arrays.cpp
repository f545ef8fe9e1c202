// SPDX-License-Identifier: Apache-2.0
// Quantized arrays as Python sees them, and their files.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <limits>
#include <map>
#include <tuple>

#include "model/numerics/axis_view.h"
#include "model/numerics/batches.h"
#include "model/numerics/bits.h"
#include "model/numerics/code_type.h"
#include "model/numerics/dequantize.h"
#include "model/numerics/files.h"
#include "model/numerics/layout.h"
#include "model/numerics/safetensors.h"
#include "sw/python/src/quantized.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

using Shape = std::vector<std::size_t>;

// A view of what `self` owns.
template <typename T>
nb::object view(const nb::object& self, std::vector<T>& values, const Shape& shape) {
  return nb::cast(nb::ndarray<nb::numpy, T>(values.data(), shape.size(), shape.data(), self));
}

Quantized& quantized(const nb::object& self) { return nb::cast<Quantized&>(self); }

nb::object codes_of(const nb::object& self) {
  mx::QuantizedArray& array = quantized(self).array;
  quantized(self).kept->may_change();
  if (array.wide_codes.empty()) return view(self, array.codes, array.shape);
  return view(self, array.wide_codes, array.shape);
}

nb::object scales_of(const nb::object& self) {
  mx::QuantizedArray& array = quantized(self).array;
  quantized(self).kept->may_change();
  if (array.scale_codes.empty()) return view(self, array.scales, array.scale_shape);
  return view(self, array.scale_codes, array.scale_shape);
}

nb::object rows_of(const nb::object& self, std::vector<float>& values) {
  if (!quantized(self).array.options.row_scaled) return nb::none();
  Shape shape = quantized(self).array.shape;
  if (!shape.empty()) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(quantized(self).array.axis));
  }
  return view(self, values, shape);
}

// The scales as numbers follow codes that Python has written into.
void renew_scales(Quantized& self) {
  mx::QuantizedArray& array = self.array;
  if (array.scale_codes.empty() || !self.kept->changes()) return;
  const std::vector<float> table = mx::scale_values(array.options.scale_format);
  for (std::size_t i = 0; i < array.scale_codes.size(); i++) {
    const std::size_t code = array.scale_codes[i];
    const float scale = code < table.size() ? table[code] : std::numeric_limits<float>::quiet_NaN();
    // Another thread may be reading those that did not change.
    if (mx::to_bits(scale) != mx::to_bits(array.scales[i])) array.scales[i] = scale;
  }
}

nb::object dequantized(Quantized& self, int form, unsigned threads) {
  const auto stored = static_cast<Stored>(form);
  std::vector<float> values;
  std::vector<uint8_t> bytes;
  renew_scales(self);
  {
    const nb::gil_scoped_release released;
    values = mx::dequantize(self.array, threads_for(self.array.scales.size(), threads));
    if (stored != Stored::float32) append_stored(values.data(), values.size(), stored, bytes);
  }
  if (stored == Stored::float32) return nb::cast(owned(std::move(values), self.array.shape));
  return stored_array(std::move(bytes), stored, self.array.shape);
}

mx::NibbleOrder parse_order(const std::string& order) {
  if (order == "low") return mx::NibbleOrder::low;
  if (order == "high") return mx::NibbleOrder::high;
  throw mx::Error("unknown order '" + order + "' (allowed: low, high)");
}

nb::object packed(const Quantized& self, const std::string& order) {
  const mx::QuantizedArray& array = self.array;
  if (array.format.bits > 8) throw mx::Error("codes of more than 8 bits are not packed");
  const mx::NibbleOrder nibbles = parse_order(order);
  const mx::AxisView along =
      array.shape.empty() ? mx::AxisView{} : mx::split_at(array.shape, array.shape.size() - 1);
  std::vector<uint8_t> bytes;
  {
    const nb::gil_scoped_release released;
    bytes =
        mx::pack_codes(array.codes.data(), along.outer, along.length, array.format.bits, nibbles);
  }
  Shape shape = array.shape.empty() ? Shape{1} : array.shape;
  shape.back() = along.outer == 0 ? 0 : bytes.size() / along.outer;
  return nb::cast(owned(std::move(bytes), shape));
}

nb::object swizzled(const Quantized& self) {
  const mx::QuantizedArray& array = self.array;
  if (array.scale_codes.empty() || array.scale_shape.size() != array.shape.size() ||
      array.shape.empty() || array.axis + 1 != array.shape.size()) {
    throw mx::Error("swizzling needs scale codes of blocks along the last axis");
  }
  const mx::AxisView along = mx::split_at(array.scale_shape, array.axis);
  std::vector<uint8_t> bytes =
      mx::swizzle_scales(array.scale_codes.data(), along.outer, along.length);
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

// The parts of an array that others have quantized.
Quantized from_parts(const std::optional<Codes<uint8_t>>& codes,
                     const std::optional<Codes<uint16_t>>& wide_codes,
                     const std::optional<Codes<uint8_t>>& scale_codes,
                     const std::optional<Codes<float>>& scales, const NamedQuantizer& quantizer,
                     int axis, float tensor_scale, float tensor_amax,
                     const std::vector<float>& row_amaxes) {
  const Shape shape = codes ? shape_of(*codes) : shape_of(*wide_codes);
  Shape empty = shape;
  if (!empty.empty()) empty[0] = 0;
  mx::QuantizeRequest request;
  request.axis = axis;
  request.dequantize = false;
  mx::QuantizerOptions options = quantizer.quantizer.options;
  if (options.uses_tensor_scale && !options.row_scaled) options.tensor_amax = tensor_amax;
  const float zero = 0;
  mx::QuantizedArray array =
      mx::quantize(&zero, empty, quantizer.quantizer.format, options, request);
  array.options = quantizer.quantizer.options;
  array.shape = shape;
  array.codes = codes ? values_of(*codes) : std::vector<uint8_t>{};
  array.wide_codes = wide_codes ? values_of(*wide_codes) : std::vector<uint16_t>{};
  array.scale_shape = shape;
  const std::size_t block = options.block_size;
  if (options.walk == mx::BlockWalk::flat) {
    std::size_t count = 1;
    for (const std::size_t dimension : shape) count *= dimension;
    array.scale_shape = {(count + block - 1) / block};
  } else if (!shape.empty()) {
    array.scale_shape[array.axis] = (shape[array.axis] + block - 1) / block;
  }
  const Shape given = scale_codes ? shape_of(*scale_codes) : shape_of(*scales);
  if (given != array.scale_shape) {
    throw mx::Error("scales must be " + mx::shape_text(array.scale_shape) + ", but are " +
                    mx::shape_text(given));
  }
  if (scale_codes) {
    array.scale_codes = values_of(*scale_codes);
    const std::vector<float> table = mx::scale_values(options.scale_format);
    array.scales.clear();
    for (const uint8_t code : array.scale_codes) {
      if (code >= table.size()) {
        throw mx::Error("the code " + std::to_string(code) + " is too large for " +
                        options.scale_format.name());
      }
      array.scales.push_back(table[code]);
    }
  } else {
    array.scale_codes.clear();
    array.scales = values_of(*scales);
  }
  array.tensor_scale = tensor_scale;
  array.tensor_amax = tensor_amax;
  array.row_amaxes = row_amaxes;
  array.row_scales.clear();
  for (const float amax : row_amaxes) {
    array.row_scales.push_back(
        mx::make_block_rules(array.format, array.options, amax).tensor_decode);
  }
  mx::dequantize(array);  // complains about codes that are too large
  return {std::move(array), quantizer};
}

template <typename T>
mx::NamedTensor tensor_of(const std::string& name, std::string_view type, mx::DType dtype,
                          const std::vector<T>& values, const Shape& shape) {
  mx::NamedTensor tensor{name, std::string(type), {}};
  tensor.array.dtype = dtype;
  tensor.array.shape = shape;
  tensor.array.data.resize(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(tensor.array.data.data(), values.data(), tensor.array.data.size());
  return tensor;
}

void add_tensors(const std::string& prefix, const mx::QuantizedArray& array,
                 std::vector<mx::NamedTensor>& tensors) {
  if (!array.wide_codes.empty()) {
    tensors.push_back(
        tensor_of(prefix + "elements", "", mx::DType::uint16, array.wide_codes, array.shape));
  } else {
    std::string_view type = mx::code_type(array.format).safetensors;
    const bool odd = array.shape.empty() || array.shape.back() % 2 != 0;
    if (type == "F4" && odd) type = {};  // two elements of this type make a byte
    const mx::DType dtype = type == "I8" ? mx::DType::int8 : mx::DType::uint8;
    tensors.push_back(tensor_of(prefix + "elements", type, dtype, array.codes, array.shape));
  }
  if (array.scale_codes.empty()) {
    tensors.push_back(
        tensor_of(prefix + "scales", "", mx::DType::float32, array.scales, array.scale_shape));
  } else {
    tensors.push_back(tensor_of(prefix + "scales",
                                mx::code_type(array.options.scale_format).safetensors,
                                mx::DType::uint8, array.scale_codes, array.scale_shape));
  }
  if (array.options.row_scaled) {
    tensors.push_back(tensor_of(prefix + "row_amax", "", mx::DType::float32, array.row_amaxes,
                                {array.row_amaxes.size()}));
  }
}

void save(const std::string& path, const std::map<std::string, const Quantized*>& arrays,
          const std::map<std::string, std::string>& metadata) {
  const nb::gil_scoped_release released;
  std::vector<mx::NamedTensor> tensors;
  for (const auto& [prefix, array] : arrays) add_tensors(prefix, array->array, tensors);
  const std::vector<uint8_t> bytes = mx::format_safetensors(tensors, metadata);
  mx::write_file(path, bytes.data(), bytes.size());
}

nb::object array_of(mx::NpyArray array) {
  const auto typed = [&array](auto sample) {
    std::vector<decltype(sample)> values(array.size());
    if (!values.empty()) std::memcpy(values.data(), array.data.data(), array.data.size());
    return nb::cast(owned(std::move(values), array.shape));
  };
  switch (array.dtype) {
    case mx::DType::uint8:
    case mx::DType::int8:
      return typed(uint8_t{});
    case mx::DType::uint16:
      return typed(uint16_t{});
    case mx::DType::float32:
      return typed(0.0f);
    default:
      return nb::none();  // no part of a quantized array
  }
}

// The tensors and the metadata of a file.
nb::tuple load(const std::string& path) {
  std::vector<mx::NamedTensor> tensors;
  std::map<std::string, std::string> metadata;
  {
    const nb::gil_scoped_release released;
    const std::vector<uint8_t> bytes = mx::read_file(path);
    tensors = mx::parse_safetensors(bytes.data(), bytes.size(), path);
    metadata = mx::safetensors_metadata(bytes.data(), bytes.size(), path);
  }
  nb::dict arrays;
  for (mx::NamedTensor& tensor : tensors) {
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
                     mx::QuantizedArray& array = quantized(self).array;
                     return view(self, array.scales, array.scale_shape);
                   })
      .def_prop_ro("has_scale_codes",
                   [](const Quantized& self) { return !self.array.scale_codes.empty(); })
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
                     return self.array.scale_codes.empty() ? std::string("float32")
                                                           : self.array.options.scale_format.name();
                   })
      .def_ro("quantizer", &Quantized::quantizer)
      .def("dequantize", &dequantized, "form"_a, "threads"_a)
      .def("pack", &packed, "order"_a)
      .def("scales_swizzled", &swizzled);
  module.def("from_parts", &from_parts, "codes"_a.none(), "wide_codes"_a.none(),
             "scale_codes"_a.none(), "scales"_a.none(), "quantizer"_a, "axis"_a, "tensor_scale"_a,
             "tensor_amax"_a, "row_amaxes"_a);
  module.def(
      "unpack",
      [](const Codes<uint8_t>& bytes, int bits, const std::string& order, std::size_t length) {
        Shape shape = shape_of(bytes);
        if (shape.empty() || bits < 1 || bits > 8) {
          throw mx::Error("packed codes have an axis and 1 to 8 bits");
        }
        const std::size_t width = static_cast<std::size_t>(bits);
        if (length == 0) length = shape.back() * 8 / width;
        if ((length * width + 7) / 8 != shape.back()) {
          throw mx::Error(std::to_string(length) + " elements of " + std::to_string(bits) +
                          " bits do not pack into " + std::to_string(shape.back()) + " bytes");
        }
        const mx::AxisView along = mx::split_at(shape, shape.size() - 1);
        std::vector<uint8_t> codes = mx::unpack_codes(bytes.data(), along.outer, length, bits,
                                                      parse_order(order), along.length);
        shape.back() = length;
        return nb::cast(owned(std::move(codes), shape));
      },
      "bytes"_a, "bits"_a, "order"_a, "length"_a);
  module.def("save", &save);
  module.def("load", &load);
}

}  // namespace mxe::python
