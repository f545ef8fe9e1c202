// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mxe::cli {

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

/// Where the data lies: beside the program as the build leaves it, or where both are installed.
std::string digits_directory();

/// What explorations call layer `index`, from 0: "dense1".
std::string digits_layer_name(std::size_t index);

/// Reads the .npy files in `directory`; throws mx::Error if one is missing or does not fit the
/// others.
Digits load_digits(const std::string& directory);

/// x W^T + b in host float32, the products added in order: [rows][outputs].
std::vector<float> dense_float(const DenseLayer& layer, const std::vector<float>& x);

void relu(std::vector<float>& values);

/// How many rows of `logits` [labels.size()][classes] have their largest value at the label.
std::size_t count_correct(const std::vector<float>& logits, const std::vector<uint8_t>& labels);

/// Signal to quantization noise ratio in dB: the power of `reference` over that of the difference.
/// Infinite if there is no difference.
double sqnr_db(const std::vector<float>& reference, const std::vector<float>& values);

}  // namespace mxe::cli
