// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "model/job/job.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/batches.h"

namespace mxe::job {

struct Products {
  std::vector<Job> jobs;           ///< at least one; without rows of A if the result is empty
  std::vector<std::size_t> shape;  ///< of the result: leading axes, M, N
  std::size_t depth = 0;           ///< K; set for an empty result too

  /// True if M, N or the number of products is 0.
  bool is_empty() const;

  /// Shape of one job with the rows of all jobs: 4 jobs of M = 8 -> M = 32.
  JobShape total() const;
  /// The reference's stored results of all jobs, stacked along the rows.
  StoredOutput golden(const numerics::GemmOptions& options) const;
  /// Sets the bias of all jobs: one row for every row, or one value per result. Values repeat from
  /// the first if there are fewer than results. Rounds the values if `bf16`.
  void add_bias(std::vector<float> values, bool one_row, bool bf16);
};

/// One job per pair of matrices in `batches`. The matrices are stacked along the rows, K along
/// columns. If B is a single matrix, one job with all rows of A gives the same result.
Products make_products(const numerics::MxTensor& a_rows, const numerics::MxTensor& b_rows,
                       const numerics::Batches& batches);

}  // namespace mxe::job
