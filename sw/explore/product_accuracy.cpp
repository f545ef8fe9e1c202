// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/product_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/numerics/block/presets.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/operand.h"
#include "model/numerics/quantize/quantize.h"
#include "sw/arrays/arrays.h"
#include "sw/digits/network.h"
#include "sw/explore/evaluate.h"

namespace mxe::explore {
namespace {

ProductAccuracy::Product product_of(const arrays::Array<float>& a, const std::string& name_a,
                                    const arrays::Array<float>& b, const std::string& name_b) {
  arrays::require_shape(a.shape, 2, name_a + ": A must be [M, K]");
  arrays::require_shape(b.shape, 2, name_b + ": B must be [N, K]");
  if (a.shape[1] != b.shape[1]) {
    throw Error(fmt::format("{} has {} elements along K and {} has {}; they must be equal", name_a,
                            a.shape[1], name_b, b.shape[1]));
  }
  ProductAccuracy::Product product;
  product.m = a.shape[0];
  product.n = b.shape[0];
  product.k = a.shape[1];
  product.a = a.values;
  product.b = b.values;
  return product;
}

// "layer.a" gives "layer" and "a".
std::pair<std::string, std::string> parts_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

/// With the preset `ocp`; that of NVFP4 is nvfp4-torchao2.
numerics::MxTensor quantized(const std::vector<float>& x, std::size_t rows, std::size_t k,
                             const OperandFormat& format) {
  if (!format.nvfp4) return numerics::quantize_rows(x.data(), rows, k, format.element);
  const numerics::Quantizer quantizer = numerics::make_quantizer("nvfp4");
  numerics::QuantizeRequest request;
  request.dequantize = false;
  return numerics::operand_of(
      numerics::quantize(x.data(), {rows, k}, quantizer.format, quantizer.options, request), true,
      "the operand");
}

double gain_of(const arrays::Array<float>& gain, const std::string& name) {
  if (gain.values.size() != 1 || !std::isfinite(gain.values[0]) || gain.values[0] < 0) {
    throw Error(fmt::format("{} must be one number of at least 0", name));
  }
  return gain.values[0];
}

}  // namespace

ProductAccuracy::ProductAccuracy(const std::vector<std::string>& files) {
  switch (files.size()) {
    case 0:
      add_digits();
      break;
    case 1:
      read_layers(files[0]);
      break;
    case 2:
      read_operands(files[0], files[1]);
      break;
    default:
      throw Error(
          "--tensors needs two files, A [M, K] and B [N, K], or one .safetensors or .npz file of "
          "layers");
  }
}

void ProductAccuracy::add_digits() {
  digits_ = true;
  const digits::Digits network = digits::load_digits(digits::digits_directory());
  std::vector<float> x = network.images;
  for (const digits::DenseLayer& layer : network.layers) {
    Product product;
    product.layer = digits::digits_layer_name(products_.size());
    product.m = network.count;
    product.n = layer.outputs;
    product.k = layer.inputs;
    product.a = x;
    product.b = layer.weights;
    add(std::move(product));
    x = digits::dense_float(layer, x);
    digits::relu(x);
  }
}

void ProductAccuracy::read_layers(const std::string& file) {
  std::map<std::string, std::map<std::string, arrays::Array<float>>> layers;
  for (const numerics::NamedTensor& tensor : arrays::InputFiles().read_all(file)) {
    const auto [layer, part] = parts_of(tensor.name);
    if (layer.empty() || (part != "a" && part != "b" && part != "gain")) {
      throw Error(
          fmt::format("{}: tensors of layers are called LAYER.a, LAYER.b and LAYER.gain, not '{}'",
                      file, tensor.name));
    }
    layers[layer][part] = arrays::to_floats(tensor, file);
  }
  for (const auto& [name, parts] : layers) {
    for (const char* part : {"a", "b"}) {
      if (parts.count(part) == 0) {
        throw Error(fmt::format("{}: the layer {} has no tensor {}.{}", file, name, name, part));
      }
    }
    const auto where = [&](const char* part) { return fmt::format("{}: {}.{}", file, name, part); };
    Product product = product_of(parts.at("a"), where("a"), parts.at("b"), where("b"));
    product.layer = name;
    if (parts.count("gain") != 0) product.gain = gain_of(parts.at("gain"), where("gain"));
    add(std::move(product));
  }
}

void ProductAccuracy::read_operands(const std::string& file_a, const std::string& file_b) {
  arrays::InputFiles input;
  const arrays::Array<float> a = arrays::to_floats(input.read(file_a), file_a);
  const arrays::Array<float> b = arrays::to_floats(input.read(file_b), file_b);
  add(product_of(a, file_a, b, file_b));
}

void ProductAccuracy::add(Product product) {
  for (std::size_t row = 0; row < product.m; row++) {
    for (std::size_t column = 0; column < product.n; column++) {
      double sum = 0;
      for (std::size_t i = 0; i < product.k; i++) {
        sum +=
            static_cast<double>(product.a[row * product.k + i]) * product.b[column * product.k + i];
      }
      product.reference.push_back(sum);
    }
  }
  products_.push_back(std::move(product));
}

const ProductAccuracy::Powers& ProductAccuracy::powers_of(const Product& product,
                                                          OperandFormat format_a,
                                                          OperandFormat format_b) const {
  const auto [entry, is_new] =
      powers_.try_emplace({&product - products_.data(), format_a, format_b});
  Powers& powers = entry->second;
  if (!is_new) return powers;
  const numerics::MxTensor a = quantized(product.a, product.m, product.k, format_a);
  const numerics::MxTensor b = quantized(product.b, product.n, product.k, format_b);
  const std::vector<float> sums = numerics::gemm(a, b, nullptr);
  for (std::size_t i = 0; i < sums.size(); i++) {
    powers.signal += product.reference[i] * product.reference[i];
    powers.noise += std::pow(product.reference[i] - sums[i], 2);
  }
  return powers;
}

std::optional<ProductAccuracy::Accuracy> ProductAccuracy::of(const Workload& workload,
                                                             OperandFormat format_a,
                                                             OperandFormat format_b) const {
  Powers all;
  Accuracy accuracy;
  for (const Layer& layer : workload.layers) {
    const Product* product = find(layer, workload);
    if (!product) continue;
    const Powers& powers =
        powers_of(*product, layer.format_a.value_or(format_a), layer.format_b.value_or(format_b));
    all.signal += powers.signal;
    all.noise += powers.noise;
    accuracy.layers++;
  }
  if (accuracy.layers == 0) return std::nullopt;
  accuracy.sqnr_db = 10 * std::log10(all.signal / all.noise);
  return accuracy;
}

bool ProductAccuracy::is_digits(const Workload& workload) const {
  return std::equal(products_.begin(), products_.end(), workload.layers.begin(),
                    workload.layers.end(), [](const Product& product, const Layer& layer) {
                      return product.layer == layer.name && product.n == layer.n &&
                             product.k == layer.k;
                    });
}

const ProductAccuracy::Product* ProductAccuracy::find(const Layer& layer,
                                                      const Workload& workload) const {
  if (digits_ && !is_digits(workload)) return nullptr;
  const auto found = std::find_if(products_.begin(), products_.end(), [&](const Product& product) {
    return product.layer.empty() || (product.layer == layer.name && product.k == layer.k);
  });
  return found == products_.end() ? nullptr : &*found;
}

const ProductAccuracy::Product* ProductAccuracy::named(const std::string& layer) const {
  const auto found = std::find_if(products_.begin(), products_.end(),
                                  [&](const Product& one) { return one.layer == layer; });
  return found == products_.end() ? nullptr : &*found;
}

double ProductAccuracy::relative_noise(const Product& product, OperandFormat format_a,
                                       OperandFormat format_b) const {
  const Powers& powers = powers_of(product, format_a, format_b);
  const double noise = powers.noise / powers.signal;
  if (std::isfinite(noise)) return noise;
  throw Error(
      fmt::format("the product of the tensors of the layer {} is 0 or not finite", product.layer));
}

void add_accuracy(const ProductAccuracy& accuracy, const std::vector<Point>& points,
                  const std::vector<Workload>& workloads, SweepOptions& options) {
  std::set<std::pair<OperandFormat, OperandFormat>> done;
  for (const Point& point : points) {
    if (!done.emplace(point.format_a, point.format_b).second) continue;
    for (const Workload& workload : workloads) {
      if (const auto one = accuracy.of(workload, point.format_a, point.format_b)) {
        options.sqnr_db[{workload.name, point.format_a, point.format_b}] = {one->sqnr_db,
                                                                            one->layers};
      }
      for (const Layer& layer : workload.layers) {
        const ProductAccuracy::Product* product = accuracy.find(layer, workload);
        if (!product || product->layer.empty()) continue;
        const OperandFormat a = format_a(layer, point), b = format_b(layer, point);
        const auto key = std::make_tuple(workload.name, layer.name, a, b);
        if (options.layer_sqnr_db.count(key) != 0) continue;
        options.layer_sqnr_db[key] = -10 * std::log10(accuracy.relative_noise(*product, a, b));
      }
    }
  }
}

}  // namespace mxe::explore
