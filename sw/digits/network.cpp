// SPDX-License-Identifier: Apache-2.0
#include "sw/digits/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/npy.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/batches.h"

namespace mxe::digits {
namespace {

constexpr float kPixelMax = 16;

std::string file(const std::string& directory, const std::string& name) {
  return (std::filesystem::path(directory) / (name + ".npy")).string();
}

DenseLayer load_layer(const std::string& directory, std::size_t index, std::size_t inputs) {
  const std::string path = file(directory, fmt::format("weight{}", index));
  const numerics::NpyArray weights = numerics::read_npy(path);
  numerics::require_shape(weights.shape, 2, path + ": weights must be [inputs, outputs]");
  DenseLayer layer;
  layer.inputs = inputs;
  layer.outputs = weights.shape[1];
  numerics::require_same_shape(weights.shape, {inputs, layer.outputs}, path + ": the weights");
  layer.weights = numerics::axis_to_rows(numerics::to_float32(weights, path),
                                         numerics::split_at(weights.shape, 0));
  const std::string bias_path = file(directory, fmt::format("bias{}", index));
  const numerics::NpyArray bias = numerics::read_npy(bias_path);
  numerics::require_same_shape(bias.shape, {layer.outputs}, bias_path + ": the bias");
  layer.bias = numerics::to_float32(bias, bias_path);
  return layer;
}

}  // namespace

std::string digits_directory() {
  const std::filesystem::path program = numerics::program_directory();
  const std::filesystem::path built = program / "digits";
  return (is_directory(built) ? built : (program / MXE_INSTALLED_DIGITS).lexically_normal())
      .string();
}

std::string digits_layer_name(std::size_t index) { return fmt::format("dense{}", index + 1); }

Digits load_digits(const std::string& directory) {
  Digits digits;
  const std::string images_path = file(directory, "test_images");
  const numerics::NpyArray images = numerics::read_npy(images_path);
  numerics::require_shape(images.shape, 2, images_path + ": images must be [count, pixels]");
  digits.count = images.shape[0];
  digits.images.reserve(images.size());
  for (const uint8_t pixel : numerics::to_uint8(images, images_path)) {
    digits.images.push_back(pixel / kPixelMax);
  }

  const std::string labels_path = file(directory, "test_labels");
  const numerics::NpyArray labels = numerics::read_npy(labels_path);
  numerics::require_same_shape(labels.shape, {digits.count}, labels_path + ": the labels");
  digits.labels = numerics::to_uint8(labels, labels_path);

  std::size_t inputs = images.shape[1];
  for (std::size_t index = 1;
       index == 1 || std::filesystem::exists(file(directory, fmt::format("weight{}", index)));
       ++index) {
    digits.layers.push_back(load_layer(directory, index, inputs));
    inputs = digits.layers.back().outputs;
  }
  return digits;
}

std::vector<float> dense_float(const DenseLayer& layer, const std::vector<float>& x) {
  const std::size_t rows = x.size() / layer.inputs;
  std::vector<float> y(rows * layer.outputs);
  for (std::size_t row = 0; row < rows; row++) {
    for (std::size_t out = 0; out < layer.outputs; out++) {
      float sum = layer.bias[out];
      for (std::size_t in = 0; in < layer.inputs; in++) {
        sum += x[row * layer.inputs + in] * layer.weights[out * layer.inputs + in];
      }
      y[row * layer.outputs + out] = sum;
    }
  }
  return y;
}

void relu(std::vector<float>& values) {
  for (float& value : values) value = std::max(value, 0.0f);
}

std::size_t count_correct(const std::vector<float>& logits, const std::vector<uint8_t>& labels) {
  const auto classes = static_cast<std::ptrdiff_t>(logits.size() / labels.size());
  std::size_t correct = 0;
  auto row = logits.begin();
  for (const uint8_t label : labels) {
    if (std::max_element(row, row + classes) - row == label) ++correct;
    row += classes;
  }
  return correct;
}

double sqnr_db(const std::vector<float>& reference, const std::vector<float>& values) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < reference.size(); i++) {
    const double difference = static_cast<double>(values[i]) - reference[i];
    signal += static_cast<double>(reference[i]) * reference[i];
    noise += difference * difference;
  }
  return 10 * std::log10(signal / noise);
}

}  // namespace mxe::digits
