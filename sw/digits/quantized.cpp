// SPDX-License-Identifier: Apache-2.0
#include "sw/digits/quantized.h"

#include "model/numerics/quantize/quantize.h"

namespace mxe::digits {

std::string Variant::name() const {
  const std::string& w = numerics::element_format(weights).name;
  return activations == weights ? w : w + " weights, " + numerics::element_format(activations).name;
}

job::Job quantize_layer(const DenseLayer& layer, const std::vector<float>& x,
                        const Variant& variant) {
  job::Job job;
  job.a =
      numerics::quantize_rows(x.data(), x.size() / layer.inputs, layer.inputs, variant.activations);
  job.b =
      numerics::quantize_rows(layer.weights.data(), layer.outputs, layer.inputs, variant.weights);
  job.bias = layer.bias;
  job.bias_one_row = true;
  return job;
}

std::vector<float> quantized_logits(const Digits& digits, const std::vector<Variant>& layers,
                                    bool dual) {
  numerics::GemmOptions options;
  options.dual = dual;
  std::vector<float> x = digits.images;
  for (std::size_t i = 0; i < digits.layers.size(); i++) {
    if (i > 0) relu(x);
    const job::Job job = quantize_layer(digits.layers[i], x, layers[i]);
    const job::JobShape shape = job.shape();
    x = job::load_output(job.golden(options), shape.m, shape.n, shape.output);
  }
  return x;
}

}  // namespace mxe::digits
