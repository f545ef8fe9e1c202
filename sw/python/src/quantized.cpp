// SPDX-License-Identifier: Apache-2.0
#include "sw/python/src/quantized.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>

#include "model/numerics/axis_view.h"
#include "model/numerics/bfloat16.h"
#include "model/numerics/bits.h"
#include "model/numerics/float16.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

// Elements quantized before signals are looked for: a fraction of a second for the slowest preset,
// 4 MiB for input that has to be brought to float32 first.
constexpr std::size_t kSlice = std::size_t{1} << 20;

std::size_t resolve_axis(int axis, std::size_t rank) {
  const int signed_rank = rank == 0 ? 1 : static_cast<int>(rank);
  // What does not exist is left to the quantizer to complain about.
  if (axis < -signed_rank || axis >= signed_rank) return 0;
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

// Whether blocks depend on nothing but their own elements, so that parts of an array can be
// quantized alone.
bool has_independent_blocks(const mx::QuantizerOptions& options) {
  return options.walk == mx::BlockWalk::axis && options.block_size > 0 && options.block_rows == 1 &&
         options.rounding != mx::Rounding::stochastic && !options.row_scaled &&
         (!options.uses_tensor_scale || options.tensor_amax);
}

// Where an array can be cut: into parts of some length that lie one after the other.
struct Cut {
  std::size_t pieces = 1;    // the array's length along what is cut
  std::size_t elements = 0;  // of a piece
  std::size_t step = 1;      // pieces that cannot be parted
};

template <typename T>
void append(std::vector<T>& all, std::vector<T>& part, std::size_t total) {
  if (all.empty()) all.reserve(total);
  all.insert(all.end(), part.begin(), part.end());
}

}  // namespace

mx::QuantizedArray quantize(const Input& x, const mx::Quantizer& quantizer, int axis,
                            unsigned threads, bool dequantize) {
  mx::QuantizeRequest request;
  request.axis = axis;
  request.dequantize = dequantize;
  request.threads = threads_for(x.size() / mx::kBlockSize, threads);
  const std::vector<std::size_t>& shape = x.shape();
  std::vector<float> buffer;
  const std::size_t slice = kSlice * std::max(1u, threads);
  if (x.size() <= slice || !has_independent_blocks(quantizer.options)) {
    return mx::quantize(x.floats(0, x.size(), buffer), shape, quantizer.format, quantizer.options,
                        request);
  }
  // An empty array gives everything but the elements, and checks what was asked for.
  std::vector<std::size_t> empty = shape;
  empty[0] = 0;
  mx::QuantizedArray all =
      mx::quantize(nullptr, empty, quantizer.format, quantizer.options, request);
  const std::size_t along = resolve_axis(axis, shape.size());
  const mx::AxisView view = mx::split_at(shape, along);
  const bool outer = view.outer > 1;
  const Cut cut = outer ? Cut{view.outer, view.length * view.inner, 1}
                        : Cut{view.length, view.inner, quantizer.options.block_size};
  const std::size_t blocks =
      (view.length + quantizer.options.block_size - 1) / quantizer.options.block_size;
  const std::size_t scales = view.rows() * blocks;
  const std::size_t units = std::max<std::size_t>(1, slice / (cut.elements * cut.step));
  request.axis = 1;
  for (std::size_t first = 0; first < cut.pieces; first += units * cut.step) {
    const std::size_t last = std::min(cut.pieces, first + units * cut.step);
    const float* values = x.floats(first * cut.elements, last * cut.elements, buffer);
    const std::vector<std::size_t> part_shape =
        outer ? std::vector<std::size_t>{last - first, view.length, view.inner}
              : std::vector<std::size_t>{1, last - first, view.inner};
    mx::QuantizedArray part =
        mx::quantize(values, part_shape, quantizer.format, quantizer.options, request);
    append(all.codes, part.codes, part.codes.empty() ? 0 : x.size());
    append(all.wide_codes, part.wide_codes, part.wide_codes.empty() ? 0 : x.size());
    append(all.scales, part.scales, scales);
    append(all.scale_codes, part.scale_codes, part.scale_codes.empty() ? 0 : scales);
    append(all.dequantized, part.dequantized, dequantize ? x.size() : 0);
    check_signals();
  }
  all.tensor_amax = quantizer.options.tensor_amax.value_or(1.0f);
  all.shape = shape;
  all.axis = along;
  all.scale_shape = shape;
  all.scale_shape[along] = blocks;
  return all;
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
      return add([](float x) { return mx::bfloat16_bits(mx::to_bits(x)); });
    case Stored::float16:
      return add([](float x) { return mx::float16_bits(mx::to_bits(x)); });
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
        std::vector<float> values;
        std::vector<uint8_t> bytes;
        {
          const nb::gil_scoped_release released;
          values = quantize(x, quantizer.quantizer, axis, threads, true).dequantized;
          if (stored != Stored::float32) append_stored(values.data(), values.size(), stored, bytes);
        }
        if (stored == Stored::float32) return nb::cast(owned(std::move(values), x.shape()));
        return stored_array(std::move(bytes), stored, x.shape());
      },
      "x"_a.noconvert(), "bfloat16_bits"_a, "quantizer"_a, "axis"_a, "threads"_a, "form"_a);
}

}  // namespace mxe::python
