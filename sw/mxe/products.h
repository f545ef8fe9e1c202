// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/job/job.h"
#include "model/numerics/gemm.h"
#include "sw/device/device.h"
#include "sw/mxe/arrays.h"

namespace mxe::cli {

/// An operand of `mxe matmul` as its file has it.
struct Operand {
  std::string path;
  Array<float> array;
  mx::FormatId format;
};

/// The matrix products of a batch. All have the same shape.
struct Products {
  std::vector<Job> jobs;           ///< at least one
  std::vector<std::size_t> shape;  ///< of the result: the leading axes, M, N

  /// That of the jobs, with the rows of all of them.
  JobShape total() const;
  /// What the reference stores for all of them, one below the other.
  StoredOutput golden(const mx::GemmOptions& options) const;
  /// The same from a device, whose cycles and counters are added up.
  DeviceResult run(Device& device) const;
};

/// Quantizes A [..., M, K] and B [..., K, N], or [..., N, K] if it is transposed, and pairs the
/// matrices: leading axes broadcast as NumPy's do. If B is one matrix, one product with all rows of
/// A computes the same. Bias and form of the results are the caller's to add. The result depends on
/// `threads` in nothing but speed. Throws mx::Error for shapes that do not fit.
Products make_products(const Operand& a, const Operand& b, bool transposed, unsigned threads);

/// Gives the products their bias; throws mx::Error unless it is [N], [M, N] or like the result.
/// `path` says where it comes from.
void add_bias(Products& products, Array<float> bias, bool bf16, const std::string& path);

}  // namespace mxe::cli
