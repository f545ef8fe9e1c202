// mxe demo: a digit classifier, quantized in several formats and run on reference, model and RTL.

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "command.h"
#include "device.h"
#include "digits.h"
#include "engine_options.h"
#include "engines.h"
#include "matmul_job.h"
#include "numerics/quantize.h"

namespace mxe::cli {
namespace {

struct Options {
  std::string data = MXE_DIGITS_DIR;
  bool json = false;
  EngineOptions engine;
};

/// One way to quantize the network.
struct Variant {
  mx::FormatId activations, weights;

  std::string name() const {
    const std::string& w = mx::element_format(weights).name;
    return activations == weights ? w : w + " weights, " + mx::element_format(activations).name;
  }
};

constexpr Variant kVariants[] = {{mx::FormatId::mxint8, mx::FormatId::mxint8},
                                 {mx::FormatId::mxfp8_e4m3, mx::FormatId::mxfp8_e4m3},
                                 {mx::FormatId::mxfp6_e2m3, mx::FormatId::mxfp6_e2m3},
                                 {mx::FormatId::mxfp4_e2m1, mx::FormatId::mxfp4_e2m1},
                                 {mx::FormatId::mxfp8_e4m3, mx::FormatId::mxfp4_e2m1}};

/// What one device did with one variant.
struct DeviceRun {
  Target target;
  uint64_t cycles = 0;
  std::vector<std::string> differences;  // from golden, one line a layer; empty = every bit agrees
};

/// One line of the table.
struct VariantResult {
  Variant variant;
  std::size_t correct = 0;
  double sqnr_db = 0;
  uint64_t macs = 0;
  unsigned peak_macs_per_cycle = 0;
  std::vector<DeviceRun> runs;

  bool agreed() const {
    for (const DeviceRun& run : runs) {
      if (!run.differences.empty()) return false;
    }
    return true;
  }
  double utilization() const {
    const double peak = static_cast<double>(runs.back().cycles) * peak_macs_per_cycle;
    return peak == 0 ? 0 : static_cast<double>(macs) / peak;
  }
};

struct Demo {
  Digits digits;
  EngineSetup setup;
  std::vector<Device> devices;
  std::vector<float> reference;  // logits in float32
  std::vector<VariantResult> results;
  double seconds = 0;

  bool agreed() const {
    for (const VariantResult& result : results) {
      if (!result.agreed()) return false;
    }
    return true;
  }
};

std::vector<float> float_logits(const Digits& digits) {
  std::vector<float> x = digits.images;
  for (const DenseLayer& layer : digits.layers) {
    if (&layer != &digits.layers.front()) relu(x);
    x = dense_float(layer, x);
  }
  return x;
}

MatmulJob quantize_layer(const DenseLayer& layer, const std::vector<float>& x, std::size_t count,
                         const Variant& variant) {
  MatmulJob job;
  job.a = mx::quantize_rows(x.data(), count, layer.inputs, variant.activations);
  job.b = mx::quantize_rows(layer.weights.data(), layer.outputs, layer.inputs, variant.weights);
  job.bias = layer.bias;
  return job;
}

/// Runs the layer on every device; returns golden's result, which the next layer starts from.
std::vector<float> run_layer(const MatmulJob& job, std::size_t index, Demo& demo,
                             VariantResult& result) {
  mx::GemmOptions options;
  options.dual = demo.setup.params.fp4_dual != 0;
  std::vector<float> golden = run_golden(job, options);
  result.macs += job.outputs() * job.k();
  for (std::size_t i = 0; i < demo.devices.size(); ++i) {
    Device& device = demo.devices[i];
    DeviceRun& run = result.runs[i];
    show_progress(fmt::format("{}: layer {} on {} ...", result.variant.name(), index + 1,
                              target_name(run.target)));
    const DeviceResult output = device.run(job);
    run.cycles += output.cycles;
    const std::string difference = describe_difference(output.output, golden, job.n());
    if (!difference.empty()) {
      run.differences.push_back(fmt::format("{}, layer {} on {}: {}", result.variant.name(),
                                            index + 1, target_name(run.target), difference));
    }
  }
  return golden;
}

VariantResult run_variant(const Variant& variant, Demo& demo) {
  const Digits& digits = demo.digits;
  VariantResult result;
  result.variant = variant;
  result.peak_macs_per_cycle =
      peak_macs_per_cycle(demo.setup.params, variant.activations, variant.weights);
  for (const Device& device : demo.devices) result.runs.push_back({device.target(), 0, {}});
  std::vector<float> x = digits.images;
  for (std::size_t i = 0; i < digits.layers.size(); ++i) {
    if (i > 0) relu(x);
    x = run_layer(quantize_layer(digits.layers[i], x, digits.count, variant), i, demo, result);
  }
  result.correct = count_correct(x, digits.labels);
  result.sqnr_db = sqnr_db(demo.reference, x);
  return result;
}

Demo run_demo(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Demo demo;
  demo.setup = options.engine.resolve();
  for (const Variant& variant : kVariants) {
    require_pair(demo.setup.params, variant.activations, variant.weights);
  }
  demo.digits = load_digits(options.data);
  demo.reference = float_logits(demo.digits);
  for (const Target target : device_targets()) demo.devices.emplace_back(target, demo.setup);
  for (const Variant& variant : kVariants) demo.results.push_back(run_variant(variant, demo));
  show_progress("");
  demo.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return demo;
}

std::string network_text(const Digits& digits) {
  std::string text = std::to_string(digits.layers.front().inputs);
  for (const DenseLayer& layer : digits.layers) text += fmt::format(" -> {}", layer.outputs);
  return text;
}

double accuracy(std::size_t correct, const Demo& demo) {
  return static_cast<double>(correct) / static_cast<double>(demo.digits.count);
}

Json to_json(const VariantResult& result, const Demo& demo) {
  Json json{{"format_a", mx::element_format(result.variant.activations).name},
            {"format_b", mx::element_format(result.variant.weights).name},
            {"accuracy", accuracy(result.correct, demo)},
            {"sqnr_db", result.sqnr_db}};
  for (const DeviceRun& run : result.runs) {
    json[fmt::format("{}_cycles", target_name(run.target))] = run.cycles;
  }
  json["utilization"] = result.utilization();
  json["agreed"] = result.agreed();
  return json;
}

void print_demo_json(const Demo& demo) {
  Json results = Json::array();
  results.push_back(
      {{"format_a", "fp32"},
       {"format_b", "fp32"},
       {"accuracy", accuracy(count_correct(demo.reference, demo.digits.labels), demo)}});
  for (const VariantResult& result : demo.results) results.push_back(to_json(result, demo));
  Json compared = Json::array({"golden"});
  for (const Device& device : demo.devices) compared.push_back(target_name(device.target()));
  print_json({{"images", demo.digits.count},
              {"network", network_text(demo.digits)},
              {"config", demo.setup.params.config_name()},
              {"compared", compared},
              {"results", results},
              {"agreed", demo.agreed()},
              {"seconds", demo.seconds}});
}

void print_demo_table(const Demo& demo) {
  const Params& params = demo.setup.params;
  fmt::print(
      "{} handwritten digits through the network {}, on configuration {} ({} PEs of {} lanes)\n\n",
      demo.digits.count, network_text(demo.digits), params.config_name(), params.num_pe,
      mx::kBlockSize);
  fmt::print("{:<32} {:>8} {:>7}", "formats", "accuracy", "SQNR");
  for (const Device& device : demo.devices) {
    fmt::print(" {:>13}", fmt::format("{} cycles", target_name(device.target())));
  }
  fmt::print(" {:>11}  {}\n", "utilization", "bits");
  fmt::print("{:<32} {:>6.2f} %\n", "fp32 on the host",
             100 * accuracy(count_correct(demo.reference, demo.digits.labels), demo));
  for (const VariantResult& result : demo.results) {
    fmt::print("{:<32} {:>6.2f} % {:>4.1f} dB", result.variant.name(),
               100 * accuracy(result.correct, demo), result.sqnr_db);
    for (const DeviceRun& run : result.runs) fmt::print(" {:>13}", run.cycles);
    fmt::print(" {:>9.1f} %  {}\n", 100 * result.utilization(),
               result.agreed() ? "agree" : "DISAGREE");
  }
  std::string compared = "golden";
  for (const Device& device : demo.devices) {
    compared += fmt::format(" = {}", target_name(device.target()));
  }
  fmt::print("\n{} ({:.1f} s)\n",
             demo.agreed() ? fmt::format("{} in every bit of every layer", compared)
                           : "The results DISAGREE",
             demo.seconds);
}

int run(const Options& options) {
  const Demo demo = run_demo(options);
  if (options.json) {
    print_demo_json(demo);
  } else {
    print_demo_table(demo);
  }
  for (const VariantResult& result : demo.results) {
    for (const DeviceRun& run : result.runs) {
      for (const std::string& difference : run.differences) {
        fmt::print(stderr, "mxe demo: {}\n", difference);
      }
    }
  }
  return demo.agreed() ? kAgreed : kDisagreed;
}

}  // namespace

Command add_demo(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "demo",
      "Classify handwritten digits in several formats on the reference, the model and the RTL");
  const auto options = std::make_shared<Options>();
  command->add_option("--data", options->data, "Directory with images, labels, weights and biases")
      ->capture_default_str();
  options->engine.add_to(*command);
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
