// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mxe::cli {

/// An array of any rank in C order.
template <typename T>
struct Array {
  std::vector<std::size_t> shape;
  std::vector<T> values;
};

/// Reads a .npy file of float32, float64 (rounded to float32), float16 or bfloat16 elements, or a
/// tensor of a .safetensors file: the named one, or its only one. Throws mx::Error naming the file
/// for other types and names.
Array<float> read_floats(const std::string& path, const std::string& tensor = "");
bool is_safetensors(const std::string& path);

/// Read a .npy file of exactly this element type; throw mx::Error naming the file otherwise.
Array<uint8_t> read_bytes(const std::string& path);
Array<uint16_t> read_shorts(const std::string& path);

/// Whether the .npy file holds float32 elements.
bool holds_floats(const std::string& path);

/// Writes a uint16 array; float32 and uint8 ones are mx::write_npy's business.
void write_shorts(const std::string& path, const Array<uint16_t>& array);

/// Throws mx::Error unless `shape` has `rank` dimensions, all of them at least 1. `what` says what
/// the array is, for example "A.npy: A must be [M, K]".
void require_shape(const std::vector<std::size_t>& shape, std::size_t rank,
                   const std::string& what);

[[noreturn]] void throw_wrong_shape(const std::vector<std::size_t>& shape,
                                    const std::vector<std::size_t>& expected,
                                    const std::string& name);

/// Throws mx::Error unless `array` has exactly this shape; `name` says which array of which file.
template <typename T>
void require_same_shape(const Array<T>& array, const std::vector<std::size_t>& expected,
                        const std::string& name) {
  if (array.shape != expected) throw_wrong_shape(array.shape, expected, name);
}

/// "[3, 4]".
std::string shape_text(const std::vector<std::size_t>& shape);

/// An array seen as [outer][length][inner], where `length` runs along one of its axes.
struct AxisView {
  std::size_t outer = 1, length = 1, inner = 1;

  std::size_t rows() const { return outer * inner; }
  AxisView with_length(std::size_t other) const { return {outer, other, inner}; }
};

/// The axis that `axis` means: -1 is the last. Throws mx::Error if the rank does not allow it.
std::size_t resolve_axis(int axis, std::size_t rank);

AxisView split_at(const std::vector<std::size_t>& shape, std::size_t axis);

/// [outer][length][inner] to [outer * inner][length], so that blocks along the axis become
/// contiguous.
template <typename T>
std::vector<T> axis_to_rows(const std::vector<T>& values, const AxisView& view) {
  std::vector<T> rows(values.size());
  for (std::size_t o = 0; o < view.outer; ++o) {
    for (std::size_t l = 0; l < view.length; ++l) {
      for (std::size_t i = 0; i < view.inner; ++i) {
        rows[(o * view.inner + i) * view.length + l] =
            values[(o * view.length + l) * view.inner + i];
      }
    }
  }
  return rows;
}

/// The inverse of axis_to_rows.
template <typename T>
std::vector<T> rows_to_axis(const std::vector<T>& rows, const AxisView& view) {
  std::vector<T> values(rows.size());
  for (std::size_t o = 0; o < view.outer; ++o) {
    for (std::size_t l = 0; l < view.length; ++l) {
      for (std::size_t i = 0; i < view.inner; ++i) {
        values[(o * view.length + l) * view.inner + i] =
            rows[(o * view.inner + i) * view.length + l];
      }
    }
  }
  return values;
}

}  // namespace mxe::cli
