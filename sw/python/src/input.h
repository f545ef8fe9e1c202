// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers that come from Python, as they lie in memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/numerics/float_array.h"

namespace mxe::python {

/// What DLPack or the buffer protocol hands over: any type, any strides, read only.
using AnyArray = nanobind::ndarray<nanobind::ro>;

/// An array of floats, none of which has been copied.
class Input {
 public:
  /// `name` is for the message of nanobind::type_error, which is thrown for other types than
  /// float32, float64, float16 and bfloat16 and for arrays outside the memory of the CPU. With
  /// `bfloat16_bits` the elements are the bits of bfloat16 numbers, given as uint16.
  Input(const AnyArray& array, bool bfloat16_bits, const char* name);

  const std::vector<std::size_t>& shape() const { return shape_; }
  std::size_t size() const { return size_; }
  /// Whether numbers() copies nothing.
  bool in_place() const { return dense_ && type_ != Type::float64; }

  /// The elements first..last - 1, in row-major order, as float32: in place where they lie so,
  /// else in `buffer`. float64 is rounded to nearest even, the others are exact.
  const float* floats(std::size_t first, std::size_t last, std::vector<float>& buffer) const;
  /// The same without a copy of float16 and bfloat16 numbers that lie in row-major order.
  mx::FloatArray numbers(std::size_t first, std::size_t last, std::vector<float>& buffer) const;

 private:
  enum class Type : uint8_t { float16, bfloat16, float32, float64 };

  /// Where a row begins, counted in elements.
  int64_t row_start(std::size_t index) const;
  /// How many rows, at most `most`, are read column by column because that is how they lie.
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

/// Runs pending signal handlers; throws what they raise (KeyboardInterrupt). Takes the GIL.
void check_signals();

}  // namespace mxe::python
