// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/job/products.h"
#include "sw/mxe/arrays.h"

namespace mxe::cli {

/// An operand of `mxe matmul` as its file has it.
struct Operand {
  std::string path;
  Array<float> array;
  mx::FormatId format;
};

/// Quantizes A [..., M, K] and B [..., K, N], or [..., N, K] if it is transposed, and pairs the
/// matrices: leading axes broadcast as NumPy's do. Bias and form of the results are the caller's to
/// add. The result depends on `threads` in nothing but speed. Throws mx::Error for shapes that do
/// not fit.
Products make_products(const Operand& a, const Operand& b, bool transposed, unsigned threads);

/// Gives the products their bias; throws mx::Error unless it is [N], [M, N] or like the result.
/// `path` says where it comes from.
void add_bias(Products& products, Array<float> bias, bool bf16, const std::string& path);

}  // namespace mxe::cli
