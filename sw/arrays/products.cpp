// SPDX-License-Identifier: Apache-2.0
#include "sw/arrays/products.h"

#include <utility>

#include "model/numerics/quantize/batches.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::arrays {

job::Products make_products(const Operand& a, const Operand& b, bool transposed, unsigned threads) {
  const std::vector<std::size_t>& b_shape = b.array.shape;
  const numerics::Batches batches =
      numerics::pair_matrices({a.path, a.array.shape}, {b.path, b_shape}, transposed);
  const std::size_t m = batches.m, n = batches.n, k = batches.k;
  const numerics::MxTensor a_rows =
      numerics::quantize_rows(a.array.values.data(), batches.a_count * m, k, a.format, {}, threads);
  const std::vector<float> turned =
      transposed ? std::vector<float>{}
                 : axis_to_rows(b.array.values, split_at(b_shape, b_shape.size() - 2));
  const numerics::MxTensor b_rows =
      numerics::quantize_rows(transposed ? b.array.values.data() : turned.data(),
                              batches.b_count * n, k, b.format, {}, threads);
  return job::make_products(a_rows, b_rows, batches);
}

void add_bias(job::Products& products, Array<float> bias, bool bf16, const std::string& path) {
  const bool one_row = numerics::bias_is_one_row(bias.shape, products.shape, path);
  products.add_bias(std::move(bias.values), one_row, bf16);
}

}  // namespace mxe::arrays
