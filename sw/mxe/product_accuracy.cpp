// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/product_accuracy.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "model/numerics/gemm.h"
#include "model/numerics/quantize.h"
#include "sw/mxe/arrays.h"
#include "sw/mxe/digits.h"

namespace mxe::cli {

ProductAccuracy::ProductAccuracy(const std::vector<std::string>& files) {
  if (files.empty()) {
    const Digits digits = load_digits(digits_directory());
    std::vector<float> x = digits.images;
    for (const DenseLayer& layer : digits.layers) {
      add(digits.count, layer.outputs, layer.inputs, x, layer.weights);
      x = dense_float(layer, x);
      relu(x);
    }
    return;
  }
  if (files.size() != 2) throw mx::Error("--tensors needs two files, A [M, K] and B [N, K]");
  InputFiles input;
  const Array<float> a = to_floats(input.read(files[0]), files[0]);
  const Array<float> b = to_floats(input.read(files[1]), files[1]);
  require_shape(a.shape, 2, files[0] + ": A must be [M, K]");
  require_shape(b.shape, 2, files[1] + ": B must be [N, K]");
  if (a.shape[1] != b.shape[1]) {
    throw mx::Error(fmt::format("{} has {} elements along K and {} has {}; they must be equal",
                                files[0], a.shape[1], files[1], b.shape[1]));
  }
  add(a.shape[0], b.shape[0], a.shape[1], a.values, b.values);
}

void ProductAccuracy::add(std::size_t m, std::size_t n, std::size_t k, std::vector<float> a,
                          std::vector<float> b) {
  Product product{m, n, k, std::move(a), std::move(b), {}};
  for (std::size_t row = 0; row < m; row++) {
    for (std::size_t column = 0; column < n; column++) {
      double sum = 0;
      for (std::size_t i = 0; i < k; i++) {
        sum += static_cast<double>(product.a[row * k + i]) * product.b[column * k + i];
      }
      product.reference.push_back(sum);
    }
  }
  products_.push_back(std::move(product));
}

double ProductAccuracy::sqnr_db(mx::FormatId format_a, mx::FormatId format_b) const {
  double signal = 0, noise = 0;
  for (const Product& product : products_) {
    const mx::MxTensor a = mx::quantize_rows(product.a.data(), product.m, product.k, format_a);
    const mx::MxTensor b = mx::quantize_rows(product.b.data(), product.n, product.k, format_b);
    const std::vector<float> sums = mx::gemm_block(a, b, nullptr, true);
    for (std::size_t i = 0; i < sums.size(); i++) {
      signal += product.reference[i] * product.reference[i];
      noise += std::pow(product.reference[i] - sums[i], 2);
    }
  }
  return 10 * std::log10(signal / noise);
}

}  // namespace mxe::cli
