// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mxe::numerics {

/// Text such as "[3, 4]".
std::string shape_text(const std::vector<std::size_t>& shape);

/// Throws Error, which begins with `what` ("A.npy: A must be [M, K]"), unless `shape` has `rank`
/// dimensions of at least 1.
void require_shape(const std::vector<std::size_t>& shape, std::size_t rank,
                   const std::string& what);

/// Throws Error, which begins with `name`, unless the shapes are equal.
void require_same_shape(const std::vector<std::size_t>& shape,
                        const std::vector<std::size_t>& expected, const std::string& name);

struct BatchOperand {
  std::string name;
  std::vector<std::size_t> shape;
};

/// The products of A [..., M, K] and B [..., K, N]. The leading axes broadcast as in NumPy: they
/// are equal, or 1 or missing in one operand. Example: A [4, 1, M, K], B [3, K, N]: 12 products.
struct Batches {
  std::vector<std::size_t> shape;  ///< of the result: leading axes, M, N
  std::size_t m = 0, n = 0, k = 0;
  std::size_t a_count = 1, b_count = 1;
  /// Matrix indices (A, B) of every product; none if the result is empty.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
};

/// `transposed`: B is [..., N, K]. Throws Error, with names, if axes or shapes do not match.
Batches pair_matrices(const BatchOperand& a, const BatchOperand& b, bool transposed);

/// True if the bias is [N]. Throws Error unless it is [N], [M, N] or has the result's shape.
bool bias_is_one_row(const std::vector<std::size_t>& bias, const std::vector<std::size_t>& result,
                     const std::string& name);

}  // namespace mxe::numerics
