// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sw/explore/point.h"
#include "sw/explore/sweep.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// Measures the accuracy of matrix products in pairs of formats, relative to unquantized products.
class ProductAccuracy {
 public:
  /// Operands and their product in float64, for a layer; for every layer if `layer` is empty.
  struct Product {
    std::string layer;
    std::size_t m = 0, n = 0, k = 0;
    std::vector<float> a, b;        ///< [m][k], [n][k]
    std::vector<double> reference;  ///< [m][n]
    /// The relative noise of the network's results divided by that of this layer's, if known.
    std::optional<double> gain;
  };

  /// Two files: A [M, K] and B [N, K]. One .safetensors or .npz file: L.a [M, K],
  /// L.b [N, K] and optionally L.gain [1] for each layer L. No file: float32 activations and
  /// weights of the digits' network, as layers dense1, dense2, ... Throws Error for wrong shapes.
  explicit ProductAccuracy(const std::vector<std::string>& files);

  /// The product with the layer's name and K, or for every layer; null if there is none, or if the
  /// tensors are those of the digits' network and `workload` is another network.
  const Product* find(const Layer& layer, const Workload& workload) const;
  /// The product of a layer with this name and any K; null if there is none.
  const Product* named(const std::string& layer) const;

  /// Accuracy with the layers' own formats, or else `format_a` and `format_b`.
  struct Accuracy {
    double sqnr_db = 0;      ///< over all results of the layers with tensors
    std::size_t layers = 0;  ///< layers with tensors
  };
  /// Quantizes with preset `ocp` and adds like the engine. Empty if no layer has tensors.
  std::optional<Accuracy> of(const Workload& workload, OperandFormat format_a,
                             OperandFormat format_b) const;

  double relative_noise(const Product& product, OperandFormat format_a,
                        OperandFormat format_b) const;

 private:
  struct Powers {
    double signal = 0, noise = 0;
  };

  const Powers& powers_of(const Product& product, OperandFormat format_a,
                          OperandFormat format_b) const;
  void add(Product product);
  void add_digits();
  bool is_digits(const Workload& workload) const;
  void read_layers(const std::string& file);
  void read_operands(const std::string& file_a, const std::string& file_b);

  std::vector<Product> products_;
  bool digits_ = false;  // the tensors are those of the digits' network
  mutable std::map<std::tuple<std::ptrdiff_t, OperandFormat, OperandFormat>, Powers> powers_;
};

/// Adds the SQNR of workloads and layers that have tensors to the options.
void add_accuracy(const ProductAccuracy& accuracy, const std::vector<Point>& points,
                  const std::vector<Workload>& workloads, SweepOptions& options);

}  // namespace mxe::explore
