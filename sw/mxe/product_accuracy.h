// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/format.h"

namespace mxe::cli {

/// How near matrix products in pairs of formats come to those of the numbers themselves.
class ProductAccuracy {
 public:
  /// A product of a layer with this name; without a name, of every layer.
  struct Product {
    std::string layer;
    std::size_t m = 0, n = 0, k = 0;
    std::vector<float> a, b;        ///< [m][k], [n][k]
    std::vector<double> reference;  ///< [m][n]
    /// The network's noise over that of this layer's results, both relative to their signals, if
    /// the file says it.
    std::optional<double> gain;
  };

  /// A [M, K] and B [N, K] of two files; or of one file, .safetensors or .npz, the products of
  /// layers: L.a [M, K] and L.b [N, K] for each layer L, and L.gain [1] where it is known. Without
  /// files, the activations and weights of the layers of the digits' network, run in float32, as
  /// dense1, dense2, ... Throws mx::Error if they do not fit.
  explicit ProductAccuracy(const std::vector<std::string>& files);

  /// Of all results together, quantized as ocp does and summed as the engine does.
  double sqnr_db(mx::FormatId format_a, mx::FormatId format_b) const;

  /// The product of a layer, null if there is none.
  const Product* find(const std::string& layer) const;
  /// What is lost in it: the power of the noise over that of the results.
  static double relative_noise(const Product& product, mx::FormatId format_a,
                               mx::FormatId format_b);

 private:
  void add(Product product);
  void add_digits();
  void read_layers(const std::string& file);
  void read_operands(const std::string& file_a, const std::string& file_b);

  std::vector<Product> products_;
};

}  // namespace mxe::cli
