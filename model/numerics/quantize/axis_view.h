// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "model/numerics/base/error.h"

namespace mxe::numerics {

/// The number of elements of an array; 0 if an axis is 0. Throws Error if the product of the
/// nonzero axes exceeds 2^62 (NumPy checks it, too), so products of axes never overflow.
inline std::size_t element_count(const std::vector<std::size_t>& shape) {
  constexpr std::size_t kMost = std::size_t{1} << 62;
  std::size_t filled = 1;
  bool empty = false;
  for (const std::size_t dimension : shape) {
    if (dimension == 0) {
      empty = true;
    } else if (filled > kMost / dimension) {
      throw Error("the shape is too large: its axes must have at most 2^62 elements together");
    } else {
      filled *= dimension;
    }
  }
  return empty ? 0 : filled;
}

/// An array as [outer][length][inner]; `length` is one of its axes.
struct AxisView {
  std::size_t outer = 1, length = 1, inner = 1;

  std::size_t rows() const { return outer * inner; }
  AxisView with_length(std::size_t other) const { return {outer, other, inner}; }
};

/// Example: shape [2, 3, 4, 5], axis 1 -> outer 2, length 3, inner 20.
inline AxisView split_at(const std::vector<std::size_t>& shape, std::size_t axis) {
  AxisView view;
  view.length = shape[axis];
  for (std::size_t i = 0; i < axis; i++) view.outer *= shape[i];
  for (std::size_t i = axis + 1; i < shape.size(); i++) view.inner *= shape[i];
  return view;
}

/// Transposes [outer][length][inner] to [outer * inner][length].
template <typename T>
std::vector<T> axis_to_rows(const std::vector<T>& values, const AxisView& view) {
  std::vector<T> rows(values.size());
  if (values.empty()) return rows;  // the other axes are unbounded here: skip the loops
  for (std::size_t o = 0; o < view.outer; o++) {
    for (std::size_t l = 0; l < view.length; l++) {
      for (std::size_t i = 0; i < view.inner; i++) {
        rows[(o * view.inner + i) * view.length + l] =
            values[(o * view.length + l) * view.inner + i];
      }
    }
  }
  return rows;
}

template <typename T>
std::vector<T> rows_to_axis(const std::vector<T>& rows, const AxisView& view) {
  return axis_to_rows(rows, {view.outer, view.inner, view.length});
}

}  // namespace mxe::numerics
