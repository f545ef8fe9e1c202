// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/numerics/formats/format.h"
#include "sw/explore/point.h"
#include "sw/explore/sweep.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// Measures the accuracy of matrix products in pairs of formats, relative to unquantized products.
class ProductAccuracy {
 public:
  /// The product of a layer; without a name, of every layer.
  struct Product {
    std::string layer;
    std::size_t m = 0, n = 0, k = 0;
    std::vector<float> a, b;        ///< [m][k], [n][k]
    std::vector<double> reference;  ///< [m][n]
    /// The network's relative noise divided by the relative noise of this layer's results, if
    /// known.
    std::optional<double> gain;
  };

  /// Two files: A [M, K] and B [N, K]. One .safetensors or .npz file: L.a [M, K], L.b [N, K] and
  /// optionally L.gain [1] for each layer L. No file: activations and weights of the digits'
  /// network in float32, as layers dense1, dense2, ... Throws Error for wrong shapes.
  explicit ProductAccuracy(const std::vector<std::string>& files);

  /// The product for a layer of a workload: equal name and equal K; null if there is none. Tensors
  /// of the digits' network apply to that network only.
  const Product* find(const Layer& layer, const Workload& workload) const;
  /// The product of a layer with this name and any K; null if there is none.
  const Product* named(const std::string& layer) const;

  /// Accuracy of a workload with a point's formats, or with the layers' own formats.
  struct Accuracy {
    double sqnr_db = 0;      ///< over all results of these layers
    std::size_t layers = 0;  ///< layers with tensors
  };
  /// Quantizes with preset ocp and sums as the engine. Empty if no layer has tensors.
  std::optional<Accuracy> of(const Workload& workload, numerics::FormatId format_a,
                             numerics::FormatId format_b) const;

  double relative_noise(const Product& product, numerics::FormatId format_a,
                        numerics::FormatId format_b) const;

 private:
  struct Powers {
    double signal = 0, noise = 0;
  };

  const Powers& powers_of(const Product& product, numerics::FormatId format_a,
                          numerics::FormatId format_b) const;
  void add(Product product);
  void add_digits();
  bool is_digits(const Workload& workload) const;
  void read_layers(const std::string& file);
  void read_operands(const std::string& file_a, const std::string& file_b);

  std::vector<Product> products_;
  bool digits_ = false;  // the products are those of the digits' network
  /// Results by product index and formats: each product is computed once.
  mutable std::map<std::tuple<std::ptrdiff_t, numerics::FormatId, numerics::FormatId>, Powers>
      powers_;
};

/// Adds the SQNR of workloads and layers with tensors to the options of a sweep. It depends only on
/// the formats.
void add_accuracy(const ProductAccuracy& accuracy, const std::vector<Point>& points,
                  const std::vector<Workload>& workloads, SweepOptions& options);

}  // namespace mxe::explore
