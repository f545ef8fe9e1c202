// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mxe::explore {

/// Work of a language model that is no matrix product, in the order of tables.
enum class RestKind : uint8_t {
  embedding,
  norms,
  rotary,
  softmax,
  activation,
  residual,
  router,
  quantize,
  kv_write,
  sampling
};
inline constexpr std::array kRestKindNames{"embedding",  "norms",    "rotary", "softmax",
                                           "activation", "residual", "router", "quantize",
                                           "kv_write",   "sampling"};
inline constexpr std::size_t kRestKinds = kRestKindNames.size();

/// `numbers` are read or written, in the format of results.
struct RestWork {
  double operations = 0, numbers = 0;
};

/// Numbers that become elements of an operand of the workload's layer number `layer`: `rows` rows
/// of the positions [begin, end) along its K. Blocks are written whole: with 32 elements to a
/// block, the positions [40, 70) are the blocks from 32 on, 38 elements.
struct QuantizedRows {
  RestKind kind = RestKind::quantize;
  std::size_t layer = 0;
  bool is_b = false;
  double rows = 0;
  uint64_t begin = 0, end = 0;
};

/// The rest of a run: everything but its matrix products.
struct Rest {
  std::array<RestWork, kRestKinds> work{};  ///< without quantisation
  std::vector<QuantizedRows> quantized;

  bool empty() const { return quantized.empty(); }
  void add(RestKind kind, double operations, double numbers) {
    RestWork& sum = work[static_cast<std::size_t>(kind)];
    sum.operations += operations;
    sum.numbers += numbers;
  }
};

/// Operations of one result (docs/exploration.md#the-rest-of-a-token). An addition, multiplication,
/// comparison or conversion is one, a division or root 4, an exponential 8: the weights of the
/// Livermore Fortran Kernels (McMahon, 1986).
struct Operations {
  static constexpr double kDivision = 4, kRoot = 4, kExponential = 8;
  /// Square, sum, and the multiplications by the row's factor and by the weight.
  static constexpr double kNormElement = 4;
  /// Mean, epsilon, root, reciprocal.
  static constexpr double kNormRow = 2 + kRoot + kDivision;
  static constexpr double kRotaryElement = 3;
  /// Scale, maximum, difference, exponential, sum, multiplication by the reciprocal sum.
  static constexpr double kScore = 5 + kExponential;
  static constexpr double kScoreRow = kDivision;
  /// g / (1 + exp(-g)) times the other half: sign, exponential, sum, division, product.
  static constexpr double kSilu = 3 + kExponential + kDivision;
  /// The form of tanh: x / (1 + exp(-2 u)) with u = c1 (x + c2 x^3), four operations for -2 u.
  static constexpr double kGeluTanh = 6 + kExponential + kDivision;
  /// SiLU with a factor in the exponent instead of the sign, three limits and 1 + the other half.
  static constexpr double kLimitedSilu = kSilu + 4;
  /// As a score, but without the scale.
  static constexpr double kExpertScore = kScore - 1;
  /// Scale, maximum, difference, exponential, sum; then running sum and comparison.
  static constexpr double kLogit = 6 + kExponential;
  /// Magnitude, maximum, multiplication by the reciprocal scale, conversion.
  static constexpr double kQuantizedElement = 4;
  /// Exponent of the maximum, difference, limit, reciprocal scale.
  static constexpr double kMxBlock = 4;
  /// NVFP4: the tensor's maximum in a pass before the others.
  static constexpr double kTensorMaximum = 2;
  /// Two multiplications, conversion to E4M3, reciprocal.
  static constexpr double kNvfp4Block = 3 + kDivision;
};

}  // namespace mxe::explore
