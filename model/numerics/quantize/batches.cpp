// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/batches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/numerics/quantize/axis_view.h"

namespace mxe::numerics {
namespace {

using Shape = std::vector<std::size_t>;

// All axes except the last two, padded in front with 1 to `rank` axes.
Shape leading_axes(const Shape& shape, std::size_t rank) {
  Shape leading(rank + 2 - shape.size(), 1);
  leading.insert(leading.end(), shape.begin(), shape.end() - 2);
  return leading;
}

void require_matrices(const BatchOperand& operand, const char* shape) {
  if (operand.shape.size() >= 2) return;
  throw Error(fmt::format("{}: must be {}, but the array is {}", operand.name, shape,
                          shape_text(operand.shape)));
}

std::size_t matrix_at(std::size_t at, const Shape& whole, const Shape& leading) {
  std::size_t index = 0;
  std::size_t stride = 1;
  for (std::size_t axis = whole.size(); axis-- > 0;) {
    if (leading[axis] > 1) index += at % whole[axis] * stride;
    stride *= leading[axis];
    at /= whole[axis];
  }
  return index;
}

}  // namespace

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

void require_shape(const Shape& shape, std::size_t rank, const std::string& what) {
  const bool filled = std::find(shape.begin(), shape.end(), std::size_t{0}) == shape.end();
  if (shape.size() == rank && filled) return;
  throw Error(
      fmt::format("{} with no dimension of 0, but the array is {}", what, shape_text(shape)));
}

void require_same_shape(const Shape& shape, const Shape& expected, const std::string& name) {
  if (shape == expected) return;
  throw Error(
      fmt::format("{} must be {}, but is {}", name, shape_text(expected), shape_text(shape)));
}

Batches pair_matrices(const BatchOperand& a, const BatchOperand& b, bool transposed) {
  require_matrices(a, "[..., M, K]");
  require_matrices(b, transposed ? "[..., N, K]" : "[..., K, N]");
  const auto shapes = [&] {
    return fmt::format("{} is {} and {} is {}", a.name, shape_text(a.shape), b.name,
                       shape_text(b.shape));
  };
  Batches batches;
  batches.m = a.shape.end()[-2];
  batches.k = a.shape.back();
  batches.n = b.shape.end()[transposed ? -2 : -1];
  if (b.shape.end()[transposed ? -1 : -2] != batches.k) {
    throw Error(fmt::format("{}: the number of columns of A must equal the number of {} of B",
                            shapes(), transposed ? "columns" : "rows"));
  }
  const std::size_t rank = std::max(a.shape.size(), b.shape.size()) - 2;
  const Shape of_a = leading_axes(a.shape, rank), of_b = leading_axes(b.shape, rank);
  for (std::size_t axis = 0; axis < rank; axis++) {
    if (of_a[axis] != of_b[axis] && of_a[axis] != 1 && of_b[axis] != 1) {
      throw Error(fmt::format(
          "{}: the axes before the last two must be the same, or 1 or missing in one of them",
          shapes()));
    }
    batches.shape.push_back(of_a[axis] == 1 ? of_b[axis] : of_a[axis]);
  }
  batches.a_count = element_count(of_a);
  batches.b_count = element_count(of_b);
  Shape result = batches.shape;
  result.insert(result.end(), {batches.m, batches.n});
  // An empty result has no pairs, even with large leading axes: [2^40, 0, K] x [K, N].
  const std::size_t count = element_count(result) == 0 ? 0 : element_count(batches.shape);
  for (std::size_t at = 0; at < count; at++) {
    batches.pairs.emplace_back(matrix_at(at, batches.shape, of_a),
                               matrix_at(at, batches.shape, of_b));
  }
  batches.shape = std::move(result);
  return batches;
}

bool bias_is_one_row(const Shape& bias, const Shape& result, const std::string& name) {
  const Shape row{result.back()}, matrix{result.end()[-2], result.back()};
  if (bias != row && bias != matrix && bias != result) {
    throw Error(fmt::format("{}: the bias must be {} or {}{}, but is {}", name, shape_text(matrix),
                            shape_text(row), result == matrix ? "" : " or " + shape_text(result),
                            shape_text(bias)));
  }
  return bias == row;
}

}  // namespace mxe::numerics
