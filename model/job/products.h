// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "model/job/job.h"
#include "model/numerics/batches.h"
#include "model/numerics/gemm.h"

namespace mxe {

/// The matrix products of a batch. All have the same shape.
struct Products {
  std::vector<Job> jobs;           ///< at least one; without rows of A if the result is empty
  std::vector<std::size_t> shape;  ///< of the result: the leading axes, M, N
  std::size_t depth = 0;           ///< K, of an empty result too

  /// Whether the result has no elements: M, N or the number of products is 0.
  bool is_empty() const;

  /// That of the jobs, with the rows of all of them.
  JobShape total() const;
  /// What the reference stores for all of them, one below the other.
  StoredOutput golden(const mx::GemmOptions& options) const;
  /// Gives the products their bias: one row for all rows, or the rows of the results, starting
  /// again if it has fewer than they. It is rounded if it is to be stored as BF16.
  void add_bias(std::vector<float> values, bool one_row, bool bf16);
};

/// The products of the matrices of A and B, which lie one below the other, K along the rows. If B
/// is one matrix, one product with all rows of A computes the same.
Products make_products(const mx::MxTensor& a_rows, const mx::MxTensor& b_rows,
                       const mx::Batches& batches);

}  // namespace mxe
