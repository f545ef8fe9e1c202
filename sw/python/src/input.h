// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/numerics/formats/float_array.h"

namespace mxe::python {

/// Any type, any strides, read only.
using AnyArray = nanobind::ndarray<nanobind::ro>;

/// A Python array, not copied.
class Input {
 public:
  /// Throws nanobind::type_error, with `name`, unless the elements are float32, float64, float16 or
  /// bfloat16 in CPU memory. `bfloat16_bits`: uint16 elements are bits of bfloat16.
  Input(const AnyArray& array, bool bfloat16_bits, const char* name);

  const std::vector<std::size_t>& shape() const { return shape_; }
  std::size_t size() const { return size_; }
  /// True if numbers() returns the array's memory.
  bool in_place() const { return dense_ && type_ != Type::float64; }

  /// Elements first..last - 1 in row-major order as float32, in `buffer` unless the array is so.
  /// Rounds float64 to nearest even; other types convert exactly.
  const float* floats(std::size_t first, std::size_t last, std::vector<float>& buffer) const;
  /// As floats(), but does not copy float16 and bfloat16 in row-major order.
  numerics::FloatArray numbers(std::size_t first, std::size_t last,
                               std::vector<float>& buffer) const;

 private:
  enum class Type : uint8_t { float16, bfloat16, float32, float64 };

  int64_t row_start(std::size_t index) const;
  /// Rows, at most `most` and 16, to read column by column because of their strides; else 1.
  std::size_t rows_together(std::size_t index, std::size_t most) const;
  template <typename Read>
  void gather(std::size_t first, std::size_t last, float* out, const Read& read) const;

  const uint8_t* data_;
  Type type_;
  bool dense_ = true;  // in row-major order
  std::size_t size_ = 1;
  std::vector<std::size_t> shape_;
  std::vector<int64_t> strides_;  // in elements
};

/// Runs pending signal handlers and throws what they raise (KeyboardInterrupt). Takes the GIL.
void check_signals();

}  // namespace mxe::python
