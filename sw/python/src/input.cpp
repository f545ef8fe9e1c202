// SPDX-License-Identifier: Apache-2.0
#include "sw/python/src/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/formats/float16.h"
#include "model/numerics/quantize/axis_view.h"

namespace nb = nanobind;

namespace mxe::python {
namespace {

std::string type_text(nb::dlpack::dtype type) {
  const auto kind = [type] {
    switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
      case nb::dlpack::dtype_code::Int:
        return "int";
      case nb::dlpack::dtype_code::UInt:
        return "uint";
      case nb::dlpack::dtype_code::Float:
        return "float";
      case nb::dlpack::dtype_code::Complex:
        return "complex";
      case nb::dlpack::dtype_code::Bool:
        return "bool";
      default:
        return "another type of ";
    }
  };
  return fmt::format("{}{}", kind(), type.bits);
}

template <typename T>
T load(const uint8_t* data, int64_t element) {
  T value;
  std::memcpy(&value, data + element * static_cast<int64_t>(sizeof value), sizeof value);
  return value;
}

}  // namespace

Input::Input(const AnyArray& array, bool bfloat16_bits, const char* name)
    : data_(static_cast<const uint8_t*>(array.data())) {
  const auto fail = [name](const std::string& what) {
    throw nb::type_error(fmt::format("{}: {}", name, what).c_str());
  };
  if (array.device_type() != nb::device::cpu::value) fail("the array must be in the CPU's memory");
  if (bfloat16_bits || array.dtype() == nb::dlpack::dtype{4, 16, 1}) {
    type_ = Type::bfloat16;
  } else if (array.dtype() == nb::dtype<float>()) {
    type_ = Type::float32;
  } else if (array.dtype() == nb::dtype<double>()) {
    type_ = Type::float64;
  } else if (array.dtype() == nb::dlpack::dtype{2, 16, 1}) {
    type_ = Type::float16;
  } else {
    fail("the elements must be float32, float64, float16 or bfloat16, but are " +
         type_text(array.dtype()));
  }
  for (std::size_t axis = 0; axis < array.ndim(); axis++) {
    shape_.push_back(array.shape(axis));
    strides_.push_back(array.stride(axis));
  }
  size_ = numerics::element_count(shape_);
  if (size_ == 0) return;
  int64_t dense = 1;
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    if (shape_[axis] > 1) dense_ = dense_ && strides_[axis] == dense;
    dense *= static_cast<int64_t>(shape_[axis]);
  }
}

int64_t Input::row_start(std::size_t index) const {
  int64_t start = 0;
  std::size_t rest = index;
  for (std::size_t axis = shape_.size(); axis-- > 1;) {
    start += static_cast<int64_t>(rest % shape_[axis - 1]) * strides_[axis - 1];
    rest /= shape_[axis - 1];
  }
  return start;
}

std::size_t Input::rows_together(std::size_t index, std::size_t most) const {
  constexpr std::size_t kLine = 16;  // float32 numbers
  const std::size_t rank = shape_.size();
  if (rank < 2 || std::abs(strides_[rank - 2]) >= std::abs(strides_[rank - 1])) return 1;
  return std::min({kLine, most, shape_[rank - 2] - index % shape_[rank - 2]});
}

template <typename Read>
void Input::gather(std::size_t first, std::size_t last, float* out, const Read& read) const {
  const std::size_t rank = shape_.size();
  const std::size_t row = rank == 0 ? 1 : shape_[rank - 1];
  const int64_t step = rank == 0 ? 0 : strides_[rank - 1];
  while (first < last) {
    const int64_t start = row_start(first / row);
    const std::size_t begin = first % row;
    const std::size_t rows = begin == 0 ? rows_together(first / row, (last - first) / row) : 1;
    if (rows > 1) {  // transposed: a cache line holds elements of several rows
      for (std::size_t i = 0; i < row; i++) {
        for (std::size_t r = 0; r < rows; r++) {
          out[r * row + i] = read(start + static_cast<int64_t>(r) * strides_[rank - 2] +
                                  static_cast<int64_t>(i) * step);
        }
      }
      out += rows * row;
      first += rows * row;
      continue;
    }
    const std::size_t end = std::min(row, begin + last - first);
    for (std::size_t i = begin; i < end; i++) {
      *out++ = read(start + static_cast<int64_t>(i) * step);
    }
    first += end - begin;
  }
}

const float* Input::floats(std::size_t first, std::size_t last, std::vector<float>& buffer) const {
  if (dense_ && type_ == Type::float32) return reinterpret_cast<const float*>(data_) + first;
  buffer.resize(last - first);
  float* out = buffer.data();
  switch (type_) {
    case Type::float16:
      gather(first, last, out,
             [this](int64_t i) { return numerics::float16_to_float(load<uint16_t>(data_, i)); });
      break;
    case Type::bfloat16:
      gather(first, last, out, [this](int64_t i) {
        return from_bits(numerics::widened_bits(load<uint16_t>(data_, i)));
      });
      break;
    case Type::float32:
      gather(first, last, out, [this](int64_t i) { return load<float>(data_, i); });
      break;
    case Type::float64:
      gather(first, last, out,
             [this](int64_t i) { return static_cast<float>(load<double>(data_, i)); });
      break;
  }
  return out;
}

numerics::FloatArray Input::numbers(std::size_t first, std::size_t last,
                                    std::vector<float>& buffer) const {
  const bool half = type_ == Type::float16 || type_ == Type::bfloat16;
  if (!half || !dense_) return floats(first, last, buffer);
  const numerics::NumberType type =
      type_ == Type::float16 ? numerics::NumberType::float16 : numerics::NumberType::bfloat16;
  return numerics::FloatArray(data_, type).from(first);
}

void check_signals() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace mxe::python
