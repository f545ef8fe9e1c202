// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/numerics/format.h"
#include "sw/explore/workload.h"

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

  /// The product of a layer of a workload; null if there is none. Tensors are those of a layer if
  /// its name and K are theirs. Those of the digits' network are for that network alone.
  const Product* find(const explore::Layer& layer, const explore::Workload& workload) const;
  /// The product of a layer of this name, whatever its K; null if there is none.
  const Product* named(const std::string& layer) const;

  /// The accuracy of a workload whose layers have the formats of a point, or their own.
  struct Accuracy {
    double sqnr_db = 0;      ///< of all results of these layers together
    std::size_t layers = 0;  ///< that have tensors
  };
  /// Quantized as ocp does and summed as the engine does. Nothing if no layer has tensors.
  std::optional<Accuracy> of(const explore::Workload& workload, mx::FormatId format_a,
                             mx::FormatId format_b) const;

  /// What is lost in one of these products: the power of the noise over that of the results.
  double relative_noise(const Product& product, mx::FormatId format_a, mx::FormatId format_b) const;

 private:
  struct Powers {
    double signal = 0, noise = 0;
  };

  const Powers& powers_of(const Product& product, mx::FormatId format_a,
                          mx::FormatId format_b) const;
  void add(Product product);
  void add_digits();
  bool is_digits(const explore::Workload& workload) const;
  void read_layers(const std::string& file);
  void read_operands(const std::string& file_a, const std::string& file_b);

  std::vector<Product> products_;
  bool digits_ = false;  // they are those of the digits' network
  /// Of the products that were asked for, by their place and formats: no product is quantized and
  /// multiplied twice.
  mutable std::map<std::tuple<std::ptrdiff_t, mx::FormatId, mx::FormatId>, Powers> powers_;
};

}  // namespace mxe::cli
