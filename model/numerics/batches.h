// SPDX-License-Identifier: Apache-2.0
// Which matrices of two arrays are multiplied with each other.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mx {

/// "[3, 4]".
std::string shape_text(const std::vector<std::size_t>& shape);

/// An operand of a batch of matrix products, for the messages about it.
struct BatchOperand {
  std::string name;
  std::vector<std::size_t> shape;
};

/// The products of A [..., M, K] and B [..., K, N]. Axes before the last two broadcast as NumPy's
/// do: they are the same, or 1, or missing in one of the operands.
struct Batches {
  std::vector<std::size_t> shape;  ///< of the result: the leading axes, M, N
  std::size_t m = 0, n = 0, k = 0;
  std::size_t a_count = 1, b_count = 1;  ///< matrices of A and of B
  /// For every product the numbers of its matrices of A and B; none if the result is empty.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
};

/// Pairs the matrices. B is [..., N, K] if it is `transposed`. Throws Error, naming the operands,
/// for fewer than two axes and shapes that do not fit.
Batches pair_matrices(const BatchOperand& a, const BatchOperand& b, bool transposed);

/// Whether one row is added to every row of a result of this shape. Throws Error unless the bias is
/// [N], [M, N] or like the result; `name` says where it comes from.
bool bias_is_one_row(const std::vector<std::size_t>& bias, const std::vector<std::size_t>& result,
                     const std::string& name);

}  // namespace mx
