// SPDX-License-Identifier: Apache-2.0
// Arrays along one of their axes.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "model/numerics/error.h"

namespace mx {

/// The number of elements of an array: 0 if an axis is 0. Throws Error, as NumPy does, if the other
/// axes alone would have 2^62 elements or more. Products of some of the axes then do not overflow.
inline std::size_t element_count(const std::vector<std::size_t>& shape) {
  constexpr std::size_t kMost = std::size_t{1} << 62;
  std::size_t filled = 1;
  bool empty = false;
  for (const std::size_t dimension : shape) {
    if (dimension == 0) {
      empty = true;
    } else if (filled > kMost / dimension) {
      throw Error("the shape is too large: its axes must have less than 2^62 elements together");
    } else {
      filled *= dimension;
    }
  }
  return empty ? 0 : filled;
}

/// An array seen as [outer][length][inner], where `length` runs along one of its axes.
struct AxisView {
  std::size_t outer = 1, length = 1, inner = 1;

  std::size_t rows() const { return outer * inner; }
  AxisView with_length(std::size_t other) const { return {outer, other, inner}; }
};

/// The view along one of the axes of an array.
inline AxisView split_at(const std::vector<std::size_t>& shape, std::size_t axis) {
  AxisView view;
  view.length = shape[axis];
  for (std::size_t i = 0; i < axis; i++) view.outer *= shape[i];
  for (std::size_t i = axis + 1; i < shape.size(); i++) view.inner *= shape[i];
  return view;
}

/// [outer][length][inner] to [outer * inner][length], so that blocks along the axis become
/// contiguous.
template <typename T>
std::vector<T> axis_to_rows(const std::vector<T>& values, const AxisView& view) {
  std::vector<T> rows(values.size());
  if (values.empty()) return rows;  // without a walk over the other axes, which may be any number
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

/// The inverse of axis_to_rows, which only exchanges length and inner.
template <typename T>
std::vector<T> rows_to_axis(const std::vector<T>& rows, const AxisView& view) {
  return axis_to_rows(rows, {view.outer, view.inner, view.length});
}

}  // namespace mx
