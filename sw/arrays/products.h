// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/job/products.h"
#include "sw/arrays/arrays.h"

namespace mxe::arrays {

struct Operand {
  std::string path;
  Array<float> array;
  numerics::FormatId format;
};

/// Quantizes A [..., M, K] and B [..., K, N] (`transposed`: [..., N, K]) and pairs their matrices;
/// leading axes broadcast as in NumPy. Sets no bias. Throws Error for shapes that do not match.
job::Products make_products(const Operand& a, const Operand& b, bool transposed, unsigned threads);

/// Adds a bias [N], [M, N] or of the result's shape. Throws Error with `path` for other shapes.
void add_bias(job::Products& products, Array<float> bias, bool bf16, const std::string& path);

}  // namespace mxe::arrays
