// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/numerics/format.h"

namespace mxe::cli {

/// How near matrix products in pairs of formats come to those of the numbers themselves.
class ProductAccuracy {
 public:
  /// A [M, K] and B [N, K] of two files; without files, the activations and weights of the layers
  /// of the digits' network, run in float32. Throws mx::Error if they do not fit.
  explicit ProductAccuracy(const std::vector<std::string>& files);

  /// Of all results together, quantized as ocp does and summed as the engine does.
  double sqnr_db(mx::FormatId format_a, mx::FormatId format_b) const;

 private:
  struct Product {
    std::size_t m = 0, n = 0, k = 0;
    std::vector<float> a, b;        ///< [m][k], [n][k]
    std::vector<double> reference;  ///< [m][n]
  };
  void add(std::size_t m, std::size_t n, std::size_t k, std::vector<float> a, std::vector<float> b);

  std::vector<Product> products_;
};

}  // namespace mxe::cli
