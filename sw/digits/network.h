// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mxe::digits {

/// A fully connected layer: relu(x W^T + b), without relu in the last layer.
struct DenseLayer {
  std::size_t inputs = 0, outputs = 0;
  std::vector<float> weights;  ///< [outputs][inputs]: operand B, contiguous along K
  std::vector<float> bias;     ///< [outputs]
};

/// Handwritten digits and a classifier for them (sw/mxe/data/digits).
struct Digits {
  std::size_t count = 0;        ///< images
  std::vector<float> images;    ///< [count][inputs of the first layer], 0 to 1
  std::vector<uint8_t> labels;  ///< [count], 0 to 9
  std::vector<DenseLayer> layers;
};

/// The folder with the data of the built or the installed program.
std::string digits_directory();

/// Layer 0 is "dense1".
std::string digits_layer_name(std::size_t index);

/// Reads .npy files; layers end before the first missing weightN.npy, N > 1. Throws Error if
/// another file is missing or shapes do not match.
Digits load_digits(const std::string& directory);

/// b + x W^T in float32, added from b on in the order of k: [rows][outputs].
std::vector<float> dense_float(const DenseLayer& layer, const std::vector<float>& x);

void relu(std::vector<float>& values);

/// Rows of `logits` [labels.size()][classes] whose largest value is at the label.
std::size_t count_correct(const std::vector<float>& logits, const std::vector<uint8_t>& labels);

/// Power of `reference` divided by the power of the difference, in dB; infinite if they are equal.
double sqnr_db(const std::vector<float>& reference, const std::vector<float>& values);

}  // namespace mxe::digits
