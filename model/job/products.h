// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "model/job/job.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/batches.h"

namespace mxe::job {

struct Products {
  std::vector<Job> jobs;           ///< at least one; without rows if the result is empty
  std::vector<std::size_t> shape;  ///< of the result: leading axes, M, N
  std::size_t depth = 0;           ///< K; set for an empty result too

  /// True if M, N or the number of products is 0.
  bool is_empty() const;

  /// Shape of one job with the rows of all jobs: 4 jobs of M = 8 -> M = 32.
  JobShape total() const;
  /// The reference's stored results of all jobs, stacked along the rows.
  StoredOutput golden(const numerics::GemmOptions& options) const;
  /// Sets the bias of all jobs: a row [N] for all rows of a job (`one_row`), or one value per
  /// result. If there are too few values, they repeat from the first. Rounds them if `bf16`.
  void add_bias(std::vector<float> values, bool one_row, bool bf16);
};

/// One job per pair of matrices in `batches`; one job with all rows of A if B is a single matrix.
/// `a_rows` and `b_rows` hold the matrices, stacked along the rows, with K along the columns.
Products make_products(const numerics::MxTensor& a_rows, const numerics::MxTensor& b_rows,
                       const numerics::Batches& batches);

}  // namespace mxe::job
