// SPDX-License-Identifier: Apache-2.0
#include "sw/digits/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "model/job/difference.h"
#include "model/platform/device/device.h"
#include "model/platform/device/engines.h"

namespace mxe::digits {
namespace {

constexpr Variant kVariants[] = {{numerics::FormatId::mxint8, numerics::FormatId::mxint8},
                                 {numerics::FormatId::mxfp8_e4m3, numerics::FormatId::mxfp8_e4m3},
                                 {numerics::FormatId::mxfp6_e2m3, numerics::FormatId::mxfp6_e2m3},
                                 {numerics::FormatId::mxfp4_e2m1, numerics::FormatId::mxfp4_e2m1},
                                 {numerics::FormatId::mxfp8_e4m3, numerics::FormatId::mxfp4_e2m1}};

std::vector<float> float_logits(const Digits& digits) {
  std::vector<float> x = digits.images;
  for (const DenseLayer& layer : digits.layers) {
    if (&layer != &digits.layers.front()) relu(x);
    x = dense_float(layer, x);
  }
  return x;
}

std::string network_text(const Digits& digits) {
  std::string text = std::to_string(digits.layers.front().inputs);
  for (const DenseLayer& layer : digits.layers) text += fmt::format(" -> {}", layer.outputs);
  return text;
}

class DigitsDemo {
 public:
  DigitsDemo(const Digits& digits, const device::EngineSetup& setup, const Progress& progress)
      : digits_(digits),
        params_(setup.params),
        reference_(float_logits(digits)),
        progress_(progress) {
    for (const device::Target target : device::device_targets())
      devices_.emplace_back(target, setup);
  }

  const std::vector<float>& reference() const { return reference_; }

  VariantResult run(const Variant& variant) {
    VariantResult result;
    result.variant = variant;
    for (const device::Device& device : devices_) result.runs.push_back({device.target(), 0, {}});
    std::vector<float> x = digits_.images;
    for (std::size_t i = 0; i < digits_.layers.size(); i++) {
      if (i > 0) relu(x);
      const job::Job job = quantize_layer(digits_.layers[i], x, variant);
      x = run_layer(job, fmt::format("{}, layer {}", variant.name(), i + 1), result);
    }
    result.correct = count_correct(x, digits_.labels);
    result.sqnr_db = sqnr_db(reference_, x);
    return result;
  }

 private:
  /// Returns golden's result, the input of the next layer.
  std::vector<float> run_layer(const job::Job& job, const std::string& name,
                               VariantResult& result) {
    numerics::GemmOptions options;
    options.dual = params_.fp4_dual != 0;
    const job::StoredOutput golden = job.golden(options);
    const job::JobShape shape = job.shape();
    result.macs += shape.macs();
    result.peak_macs = shape.peak_macs_per_cycle(params_);
    for (std::size_t i = 0; i < devices_.size(); i++) {
      const std::string where =
          fmt::format("{} on {}", name, device::target_name(devices_[i].target()));
      progress_(where + " ...");
      const device::DeviceResult output = devices_[i].run(job);
      DeviceRun& run = result.runs[i];
      run.cycles += output.cycles;
      const std::string difference = job::describe_difference(output.output, golden, shape);
      if (!difference.empty()) run.differences.push_back(where + ": " + difference);
    }
    progress_("");
    return job::load_output(golden, shape.m, shape.n, shape.output);
  }

  const Digits& digits_;
  Params params_;
  std::vector<float> reference_;  // logits in float32
  const Progress& progress_;
  std::vector<device::Device> devices_;
};

}  // namespace

bool VariantResult::agreed() const {
  return std::all_of(runs.begin(), runs.end(),
                     [](const DeviceRun& run) { return run.differences.empty(); });
}

double VariantResult::utilization() const {
  return macs / (peak_macs * static_cast<double>(runs.back().cycles));
}

bool DemoResult::agreed() const {
  return std::all_of(variants.begin(), variants.end(),
                     [](const VariantResult& variant) { return variant.agreed(); });
}

DemoResult run_digits_demo(const Digits& digits, const device::EngineSetup& setup,
                           const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  for (const Variant& variant : kVariants) {
    job::JobShape shape;
    shape.format_a = variant.activations;
    shape.format_b = variant.weights;
    shape.require_pair(setup.params);
  }
  DigitsDemo demo(digits, setup, progress);
  DemoResult result;
  result.params = setup.params;
  result.devices = device::device_targets();
  result.network = network_text(digits);
  result.images = digits.count;
  result.correct = count_correct(demo.reference(), digits.labels);
  for (const Variant& variant : kVariants) result.variants.push_back(demo.run(variant));
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  result.seconds = wall.count();
  return result;
}

}  // namespace mxe::digits
