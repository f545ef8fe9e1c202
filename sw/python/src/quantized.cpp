// SPDX-License-Identifier: Apache-2.0
#include "sw/python/src/quantized.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/large_pages.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/formats/float16.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

numerics::QuantizeRequest request_for(const Input& x, int axis, unsigned threads, bool dequantize) {
  numerics::QuantizeRequest request;
  request.axis = axis;
  request.dequantize = dequantize;
  request.threads = threads_for(x.size() / kBlockSize, threads);
  request.between_slices = check_signals;
  return request;
}

numerics::NumberSource source_of(const Input& x) {
  return {[&x](std::size_t first, std::size_t last, std::vector<float>& buffer) {
            return x.numbers(first, last, buffer);
          },
          x.in_place()};
}

}  // namespace

numerics::SpareArray& spare_array() {
  static numerics::SpareArray spare;
  return spare;
}

numerics::QuantizedArray quantize(const Input& x, const numerics::Quantizer& quantizer, int axis,
                                  unsigned threads, bool dequantize) {
  numerics::QuantizedArray result = spare_array().take(x.size());
  numerics::quantize_into(source_of(x), x.shape(), quantizer.format, quantizer.options,
                          request_for(x, axis, threads, dequantize), result);
  return result;
}

std::unique_ptr<float[]> quantized_values(const Input& x, const numerics::Quantizer& quantizer,
                                          int axis, unsigned threads) {
  std::unique_ptr<float[]> values(new float[x.size()]);  // not zeroed, which takes another pass
  prefer_large_pages(values.get(), x.size() * sizeof(float));
  numerics::quantize_values(source_of(x), x.shape(), quantizer.format, quantizer.options,
                            request_for(x, axis, threads, true), values.get());
  return values;
}

void append_stored(const float* values, std::size_t count, Stored form, std::vector<uint8_t>& out) {
  const auto add = [&](const auto& convert) {
    using Number = decltype(convert(0.0f));
    const std::size_t old = out.size();
    out.resize(old + count * sizeof(Number));
    uint8_t* to = out.data() + old;
    for (std::size_t i = 0; i < count; i++, to += sizeof(Number)) {
      const Number number = convert(values[i]);
      std::memcpy(to, &number, sizeof number);
    }
  };
  switch (form) {
    case Stored::float32:
      return add([](float x) { return x; });
    case Stored::float64:
      return add([](float x) { return static_cast<double>(x); });
    case Stored::bfloat16:
      return add([](float x) { return numerics::bfloat16_bits(to_bits(x)); });
    case Stored::float16:
      return add([](float x) { return numerics::float16_bits(to_bits(x)); });
  }
}

nb::object stored_array(std::vector<uint8_t> bytes, Stored form,
                        const std::vector<std::size_t>& shape) {
  constexpr nb::dlpack::dtype kTypes[] = {{2, 32, 1}, {1, 16, 1}, {2, 16, 1}, {2, 64, 1}};
  auto* kept = new std::vector<uint8_t>(std::move(bytes));
  const nb::capsule owner(
      kept, [](void* all) noexcept { delete static_cast<std::vector<uint8_t>*>(all); });
  nb::ndarray<nb::numpy> array(kept->data(), shape.size(), shape.data(), owner, nullptr,
                               kTypes[static_cast<int>(form)]);
  return nb::cast(array);
}

void bind_quantized(nb::module_& module) {
  module.def(
      "quantize",
      [](const AnyArray& array, bool bfloat16_bits, const NamedQuantizer& quantizer, int axis,
         unsigned threads) {
        const Input x(array, bfloat16_bits, "x");
        const nb::gil_scoped_release released;
        return Quantized{quantize(x, quantizer.quantizer, axis, threads, false), quantizer};
      },
      "x"_a.noconvert(), "bfloat16_bits"_a, "quantizer"_a, "axis"_a, "threads"_a);
  module.def(
      "fake_quantize",
      [](const AnyArray& array, bool bfloat16_bits, const NamedQuantizer& quantizer, int axis,
         unsigned threads, int form) {
        const Input x(array, bfloat16_bits, "x");
        const auto stored = static_cast<Stored>(form);
        std::unique_ptr<float[]> values;
        std::vector<uint8_t> bytes;
        {
          const nb::gil_scoped_release released;
          values = quantized_values(x, quantizer.quantizer, axis, threads);
          if (stored != Stored::float32) append_stored(values.get(), x.size(), stored, bytes);
        }
        if (stored == Stored::float32) {
          float* const first = values.get();
          const nb::capsule owner(values.release(),
                                  [](void* all) noexcept { delete[] static_cast<float*>(all); });
          return nb::cast(
              nb::ndarray<nb::numpy, float>(first, x.shape().size(), x.shape().data(), owner));
        }
        return stored_array(std::move(bytes), stored, x.shape());
      },
      "x"_a.noconvert(), "bfloat16_bits"_a, "quantizer"_a, "axis"_a, "threads"_a, "form"_a);
}

}  // namespace mxe::python
