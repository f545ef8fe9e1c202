// SPDX-License-Identifier: Apache-2.0
#include "sw/python/src/quantized.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "model/numerics/base/bits.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/formats/float16.h"
#include "model/numerics/quantize/axis_view.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

// Elements between checks for signals: 4 MiB of float32 copies, else a fraction of a second.
constexpr std::size_t kSlice = std::size_t{1} << 20;
constexpr std::size_t kSliceInPlace = std::size_t{1} << 24;

// A slice of values without codes stays in the cache of one thread.
constexpr std::size_t kSmallSlice = std::size_t{1} << 16;

std::size_t resolve_axis(int axis, std::size_t rank) {
  const int signed_rank = rank == 0 ? 1 : static_cast<int>(rank);
  // The quantizer reports other axes.
  if (axis < -signed_rank || axis >= signed_rank) return 0;
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

// Divides an array into consecutive pieces.
struct Cut {
  std::size_t pieces = 1;    // the array's length along the axis that is divided
  std::size_t elements = 0;  // in a piece
  std::size_t step = 1;      // pieces that belong to one block
};

// Requests large pages, as NumPy does: page faults of small pages take longer than quantizing.
void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t kWorthIt = std::size_t{1} << 22;
  constexpr std::uintptr_t kPage = 4096;
  if (bytes < kWorthIt) return;
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t aligned = (start + kPage - 1) / kPage * kPage;
  madvise(reinterpret_cast<void*>(aligned), bytes - (aligned - start), MADV_HUGEPAGE);
#endif
}

template <typename T>
void append(std::vector<T>& all, const std::vector<T>& part, std::size_t total) {
  if (all.empty() && total > 0) {
    all.reserve(total);
    prefer_large_pages(all.data(), total * sizeof(T));
  }
  all.insert(all.end(), part.begin(), part.end());
}

numerics::QuantizeRequest request_for(const Input& x, int axis, unsigned threads, bool dequantize) {
  numerics::QuantizeRequest request;
  request.axis = axis;
  request.dequantize = dequantize;
  request.threads = threads_for(x.size() / kBlockSize, threads);
  return request;
}

// For independent blocks: quantizes about `slice` elements at a time, calls take(part, index of its
// first element), and checks for signals.
template <typename Take>
void quantize_slices(const Input& x, const numerics::Quantizer& quantizer,
                     const numerics::AxisView& view, numerics::QuantizeRequest request,
                     std::size_t slice, const Take& take) {
  const bool outer = view.outer > 1;
  const Cut cut = outer ? Cut{view.outer, view.length * view.inner, 1}
                        : Cut{view.length, view.inner, quantizer.options.block_size};
  const std::size_t units = std::max<std::size_t>(1, slice / (cut.elements * cut.step));
  request.axis = 1;
  std::vector<float> buffer;
  numerics::QuantizedArray part;
  for (std::size_t first = 0; first < cut.pieces; first += units * cut.step) {
    const std::size_t last = std::min(cut.pieces, first + units * cut.step);
    const numerics::FloatArray values =
        x.numbers(first * cut.elements, last * cut.elements, buffer);
    const std::vector<std::size_t> shape =
        outer ? std::vector<std::size_t>{last - first, view.length, view.inner}
              : std::vector<std::size_t>{1, last - first, view.inner};
    numerics::quantize_into(values, shape, quantizer.format, quantizer.options, request, part);
    take(part, first * cut.elements);
    check_signals();
  }
}

}  // namespace

numerics::QuantizedArray quantize(const Input& x, const numerics::Quantizer& quantizer, int axis,
                                  unsigned threads, bool dequantize) {
  const numerics::QuantizeRequest request = request_for(x, axis, threads, dequantize);
  const std::vector<std::size_t>& shape = x.shape();
  const std::size_t slice = (x.in_place() ? kSliceInPlace : kSlice) * std::max(1u, threads);
  if (x.size() <= slice || !numerics::has_independent_blocks(quantizer.options)) {
    std::vector<float> buffer;
    numerics::QuantizedArray all = spare_array().take(x.size());
    numerics::quantize_into(x.numbers(0, x.size(), buffer), shape, quantizer.format,
                            quantizer.options, request, all);
    return all;
  }
  // Checks the arguments and sets all members except the elements.
  std::vector<std::size_t> empty = shape;
  empty[0] = 0;
  numerics::QuantizedArray all =
      numerics::quantize(nullptr, empty, quantizer.format, quantizer.options, request);
  const std::size_t along = resolve_axis(axis, shape.size());
  const numerics::AxisView view = numerics::split_at(shape, along);
  const std::size_t blocks =
      (view.length + quantizer.options.block_size - 1) / quantizer.options.block_size;
  const std::size_t scales = view.rows() * blocks;
  const auto add = [&](const numerics::QuantizedArray& part, std::size_t) {
    append(all.codes, part.codes, part.codes.empty() ? 0 : x.size());
    append(all.wide_codes, part.wide_codes, part.wide_codes.empty() ? 0 : x.size());
    append(all.scales, part.scales, scales);
    append(all.scale_codes, part.scale_codes, part.scale_codes.empty() ? 0 : scales);
    append(all.dequantized, part.dequantized, dequantize ? x.size() : 0);
  };
  quantize_slices(x, quantizer, view, request, slice, add);
  all.tensor_amax = quantizer.options.tensor_amax.value_or(1.0f);
  all.shape = shape;
  all.axis = along;
  all.scale_shape = shape;
  all.scale_shape[along] = blocks;
  return all;
}

std::unique_ptr<float[]> quantized_values(const Input& x, const numerics::Quantizer& quantizer,
                                          int axis, unsigned threads) {
  const numerics::QuantizeRequest request = request_for(x, axis, threads, true);
  std::unique_ptr<float[]> values(new float[x.size()]);  // not zeroed, which takes another pass
  prefer_large_pages(values.get(), x.size() * sizeof(float));
  const std::size_t slice = request.threads > 1 ? kSlice * request.threads : kSmallSlice;
  const auto put = [&](const numerics::QuantizedArray& part, std::size_t at) {
    std::copy(part.dequantized.begin(), part.dequantized.end(), values.get() + at);
  };
  const std::vector<std::size_t>& shape = x.shape();
  if (x.size() <= slice || !numerics::has_independent_blocks(quantizer.options)) {
    std::vector<float> buffer;
    put(numerics::quantize(x.numbers(0, x.size(), buffer), shape, quantizer.format,
                           quantizer.options, request),
        0);
    return values;
  }
  std::vector<std::size_t> empty = shape;
  empty[0] = 0;
  numerics::quantize(nullptr, empty, quantizer.format, quantizer.options, request);  // checks them
  quantize_slices(x, quantizer, numerics::split_at(shape, resolve_axis(axis, shape.size())),
                  request, slice, put);
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
