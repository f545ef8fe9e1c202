// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mxe::digits {

/// One fully connected layer: relu(x W^T + b), the last one without relu.
struct DenseLayer {
  std::size_t inputs = 0, outputs = 0;
  std::vector<float> weights;  ///< [outputs][inputs]: B of the matrix product, K contiguous
  std::vector<float> bias;     ///< [outputs]
};

/// Handwritten digits and a classifier for them (sw/mxe/data/digits).
struct Digits {
  std::size_t count = 0;        ///< images
  std::vector<float> images;    ///< [count][inputs of the first layer], 0 to 1
  std::vector<uint8_t> labels;  ///< [count], 0 to 9
  std::vector<DenseLayer> layers;
};

/// The data folder: next to the program in a build, else in the installation.
std::string digits_directory();

/// Name of layer `index` in explorations: 0 is "dense1".
std::string digits_layer_name(std::size_t index);

/// Reads the .npy files in `directory`. Throws Error if one is missing or shapes do not match.
Digits load_digits(const std::string& directory);

/// x W^T + b in float32 on the host, summed in the order of k: [rows][outputs].
std::vector<float> dense_float(const DenseLayer& layer, const std::vector<float>& x);

void relu(std::vector<float>& values);

/// Number of rows of `logits` [labels.size()][classes] whose largest value is at the label.
std::size_t count_correct(const std::vector<float>& logits, const std::vector<uint8_t>& labels);

/// SQNR in dB: the power of `reference` divided by that of the difference; infinite without a
/// difference.
double sqnr_db(const std::vector<float>& reference, const std::vector<float>& values);

}  // namespace mxe::digits
