// SPDX-License-Identifier: Apache-2.0
#include "sw/python/onnxruntime/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <string>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/error.h"
#include "model/numerics/formats/float16.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::onnxruntime {
namespace {

// No such failure is expected, so onnxruntime's message is not passed on.
void expect(const Api& api, Status* status, const char* what) {
  if (!status) return;
  api.release(status);
  throw Error(fmt::format("onnxruntime does not provide the {}", what));
}

int64_t integer(const Api& api, const KernelInfo* info, const char* name, int64_t otherwise) {
  int64_t value = otherwise;
  Status* const status = api.attribute(info, name, &value);
  if (!status) return value;
  api.release(status);
  return otherwise;
}

std::string text(const Api& api, const KernelInfo* info, const char* name, const char* otherwise) {
  std::size_t size = 0;
  Status* status = api.attribute(info, name, nullptr, &size);
  std::string value(size, '\0');
  if (!status) status = api.attribute(info, name, value.data(), &size);
  if (status) {
    api.release(status);
    return otherwise;
  }
  while (!value.empty() && value.back() == '\0') value.pop_back();
  return value;
}

// AMD Quark treats unknown modes as 0.
std::string preset_of(int64_t rounding_mode) {
  if (rounding_mode == 1) return "quark-onnx-dpu";
  return rounding_mode == 2 ? "quark-onnx-py3" : "quark-onnx-std";
}

numerics::Quantizer read_quantizer(const Api& api, const KernelInfo* info, Owner owner) {
  const bool ours = owner == Owner::mxe;
  const std::string element = text(api, info, "element_dtype", ours ? "fp8_e4m3" : "int8");
  const int64_t rounding_mode = integer(api, info, "rounding_mode", ours ? 2 : 0);
  if (ours && (rounding_mode < 0 || rounding_mode > 2)) {
    throw Error(fmt::format("rounding_mode cannot be {} (allowed: 0, 1, 2)", rounding_mode));
  }
  std::string preset = ours ? text(api, info, "preset", "") : "";
  if (preset.empty()) preset = preset_of(rounding_mode);
  constexpr const char* kElements[] = {"fp8_e4m3", "fp8_e5m2", "fp6_e3m2", "fp6_e2m3",
                                       "fp4_e2m1", "fp4_e1m2", "int8"};
  if (std::find(std::begin(kElements), std::end(kElements), element) == std::end(kElements)) {
    throw Error(fmt::format("unknown element_dtype '{}' (allowed: {})", element,
                            fmt::join(kElements, ", ")));
  }
  numerics::Quantizer quantizer = numerics::make_quantizer("mx" + element, preset);
  const int64_t block = integer(api, info, "block_size", 32);
  if (block < 1 || block > std::numeric_limits<int32_t>::max()) {
    throw Error(fmt::format("block_size cannot be {}", block));
  }
  quantizer.options.block_size = static_cast<std::size_t>(block);
  return quantizer;
}

int read_axis(const Api& api, const KernelInfo* info, Owner owner) {
  const int64_t axis = integer(api, info, "axis", owner == Owner::mxe ? -1 : 1);
  constexpr int64_t kMost = 1 << 20;  // beyond every rank
  return static_cast<int>(std::clamp(axis, -kMost, kMost));
}

std::vector<std::size_t> shape_of(const Api& api, const Value* value) {
  TensorInfo* found = nullptr;
  expect(api, api.info(value, &found), "shape");
  const auto release = [&](TensorInfo* info) { api.release(info); };
  const std::unique_ptr<TensorInfo, decltype(release)> info(found, release);
  std::size_t rank = 0;
  expect(api, api.rank(info.get(), &rank), "rank");
  std::vector<int64_t> sizes(rank);
  expect(api, api.shape(info.get(), sizes.data(), rank), "shape");
  return {sizes.begin(), sizes.end()};
}

std::size_t product(const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (const std::size_t length : shape) size *= length;
  return size;
}

}  // namespace

Kernel::Kernel(const Api& api, const KernelInfo* info, Owner owner, Element element)
    : api_(api),
      owner_(owner),
      element_(element),
      quantizer_(read_quantizer(api, info, owner)),
      axis_(read_axis(api, info, owner)) {}

void Kernel::compute(KernelContext* context) const {
  const Value* input = nullptr;
  expect(api_, api_.input(context, 0, &input), "input");
  const std::vector<std::size_t> shape = shape_of(api_, input);
  const std::vector<int64_t> sizes(shape.begin(), shape.end());
  Value* output = nullptr;
  expect(api_, api_.output(context, 0, sizes.data(), sizes.size(), &output), "output");
  void* from = nullptr;
  void* to = nullptr;
  // The interface has no read-only access to elements.
  expect(api_, api_.elements(const_cast<Value*>(input), &from), "elements");
  expect(api_, api_.elements(output, &to), "elements");
  if (element_ == Element::float32) {
    return quantize(static_cast<const float*>(from), shape, static_cast<float*>(to));
  }
  const auto* halves = static_cast<const uint16_t*>(from);
  std::vector<float> x(product(shape));
  std::transform(halves, halves + x.size(), x.begin(),
                 [](uint16_t half) { return numerics::float16_to_float(half); });
  quantize(x.data(), shape, x.data());
  std::transform(x.begin(), x.end(), static_cast<uint16_t*>(to),
                 [](float value) { return numerics::float16_bits(to_bits(value)); });
}

void Kernel::quantize(const float* x, const std::vector<std::size_t>& shape, float* out) const {
  numerics::QuantizeRequest request;
  request.axis = axis_;
  const std::size_t size = product(shape);
  if (owner_ == Owner::quark) {
    // Quark does not quantize single numbers, and ignores the axis of 1-D arrays.
    if (size == 1) {
      *out = *x;
      return;
    }
    if (shape.size() == 1) request.axis = 0;
  }
  const numerics::NumberSource source{[x](std::size_t first, std::size_t, std::vector<float>&) {
                                        return numerics::FloatArray(x + first);
                                      },
                                      true};
  numerics::quantize_values(source, shape, quantizer_.format, quantizer_.options, request, out);
}

}  // namespace mxe::onnxruntime
