// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/job/products.h"
#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/assemble.h"
#include "sw/arrays/arrays.h"

namespace mxe::arrays {

/// Numbers that `quantizer` quantizes, or codes.
struct Operand {
  std::string path;
  numerics::Quantizer quantizer;
  Array<float> numbers;                       ///< unused with codes
  std::optional<numerics::ArrayParts> codes;  ///< axis is not used: blocks run along K
  bool has_scales = true;                     ///< false: codes without scales
  std::optional<float> tensor_scale;          ///< of codes without scales

  const std::vector<std::size_t>& shape() const { return codes ? codes->shape : numbers.shape; }
};

/// Pairs the matrices of A [..., M, K] and B [..., K, N] (`transposed`: [..., N, K]), which it
/// quantizes along K if they are numbers; leading axes broadcast as in NumPy. Sets no bias. Throws
/// Error for shapes that do not match, operands that no product has (operand.h) and NaN scales
/// among codes.
job::Products make_products(const Operand& a, const Operand& b, bool transposed, unsigned threads);

/// Adds a bias [N], [M, N] or of the result's shape. Throws Error with `path` for other shapes.
void add_bias(job::Products& products, Array<float> bias, bool bf16, const std::string& path);

}  // namespace mxe::arrays
