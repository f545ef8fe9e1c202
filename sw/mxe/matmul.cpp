// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "model/engine/timing/observe/block_waves.h"
#include "model/job/difference.h"
#include "model/job/job.h"
#include "model/numerics/files/files.h"
#include "model/numerics/gemm/gemm.h"
#include "model/platform/device/device.h"
#include "sw/arrays/arrays.h"
#include "sw/arrays/output_files.h"
#include "sw/arrays/products.h"
#include "sw/mxe/array_options.h"
#include "sw/mxe/burst_choice.h"
#include "sw/mxe/command.h"
#include "sw/mxe/engine_choice.h"
#include "sw/mxe/layer_choice.h"
#include "sw/mxe/matmul_report.h"
#include "sw/mxe/operand_choice.h"
#include "sw/mxe/output_choice.h"
#include "sw/mxe/trace_choice.h"

namespace mxe::cli {
namespace {

struct MatmulOptions {
  std::string first, second, bias, on, output, expect, waves;
  OperandChoice a{"-a"}, b{"-b"};
  LayerChoice layer;
  std::vector<std::string> tensors;
  std::optional<std::string> arithmetic;
  std::string elements, scales, bias_format = "fp32", accumulate = "block";
  std::optional<float> alpha;
  bool transposed = false, check = true, explain = false, json = false;
  unsigned threads = hardware_threads();
  OutputChoice result;
  EngineChoice engine;
  TraceChoice trace;
  BurstChoice bursts;
};

/// Throws Error unless `value` is `allowed`, the engine's only value.
void require_only(const char* option, const std::string& value, const char* allowed) {
  if (value == allowed) return;
  throw Error(fmt::format("{} {} is only for --on golden (allowed: {})", option, value, allowed));
}

bool is_bf16_bias(const MatmulOptions& options) {
  const std::string& format = options.bias_format;
  if (format == "fp32") return false;
  if (format != "bf16") {
    throw Error(fmt::format("unknown bias format '{}' (allowed: fp32, bf16)", format));
  }
  if (options.bias.empty()) throw Error("--bias-format bf16 needs --bias");
  return true;
}

/// The files of A and B, empty for an operand of codes. Throws Error for too few or many.
std::pair<std::string, std::string> number_files(const MatmulOptions& options) {
  std::pair<std::string, std::string> paths{options.first, options.second};
  const bool has_a = !options.a.has_codes(), has_b = !options.b.has_codes();
  if (!has_a && has_b && paths.second.empty()) std::swap(paths.first, paths.second);
  if (paths.first.empty() != has_a && paths.second.empty() != has_b) return paths;
  throw Error(
      fmt::format("{} files of numbers are given (needed: A.npy unless --elements-a is, B.npy "
                  "unless --elements-b is)",
                  !options.first.empty() + !options.second.empty()));
}

/// The product with the weight of a checkpoint's layer.
job::Products read_layer_products(arrays::InputFiles& files, const MatmulOptions& options) {
  const auto [path_a, path_b] = number_files(options);
  const checkpoints::Layer layer = options.layer.read(path_b);
  const arrays::Operand a = with_activation(options.a, layer).read(files, path_a, -1);
  job::Products products =
      arrays::make_products(a, operand_of(layer, path_b), true, options.threads);
  if (options.bias.empty()) add_layer_bias(products, layer, path_b);
  return products;
}

job::Products read_array_products(arrays::InputFiles& files, const MatmulOptions& options) {
  const auto [path_a, path_b] = number_files(options);
  const arrays::Operand a = options.a.read(files, path_a, -1);
  const arrays::Operand b = options.b.read(files, path_b, options.transposed ? -1 : -2);
  return arrays::make_products(a, b, options.transposed, options.threads);
}

job::Products read_products(arrays::InputFiles& files, const MatmulOptions& options) {
  const bool bf16 = is_bf16_bias(options);
  const job::OutputFormat output = options.result.resolve();
  job::Products products = options.layer.is_given() ? read_layer_products(files, options)
                                                    : read_array_products(files, options);
  for (job::Job& job : products.jobs) {
    job.output = output;
    job.alpha = options.alpha;
  }
  if (!options.bias.empty()) {
    arrays::add_bias(products, arrays::to_floats(files.read(options.bias), options.bias), bf16,
                     options.bias);
  }
  return products;
}

device::DeviceResult run_on(device::Target target, const device::EngineSetup& setup,
                            const job::Products& products, const numerics::GemmOptions& golden) {
  if (target != device::Target::golden) {
    device::Device device(target, setup);
    return device.run(products);
  }
  const auto start = std::chrono::steady_clock::now();
  device::DeviceResult result;
  result.output = products.golden(golden);
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

void write_result(const MatmulOptions& options, const job::JobShape& shape,
                  const std::vector<std::size_t>& axes, const job::StoredOutput& result,
                  const std::vector<float>& values) {
  arrays::OutputFiles files;
  files.add(options.output, "output", values, axes);
  if (!options.elements.empty() || !options.scales.empty()) {
    const numerics::MxTensor tensor = job::load_mx_output(result, shape.m, shape.n, shape.output);
    const auto type = [](numerics::CodeType all) {
      return numerics::CodeType{all.safetensors, {}};
    };
    files.add(options.elements, "elements", tensor.codes, axes,
              type(numerics::code_type(numerics::element_format(tensor.format))));
    std::vector<std::size_t> scale_axes = axes;
    scale_axes.back() = tensor.scale_columns();
    files.add(options.scales, "scales", tensor.scales, scale_axes,
              type(numerics::code_type(numerics::ScaleFormat{})));
  }
  files.write();
}

int report_difference(const MatmulOptions& options, const std::string& source,
                      const std::string& difference) {
  if (difference.empty()) return kAgreed;
  fmt::print(stderr, "mxe matmul: {} and {} disagree: {}\n", options.on, source, difference);
  return kDisagreed;
}

/// Empty without --arithmetic. Throws Error for --arithmetic if the target is not the model.
engine::ArithmeticFactory choose_arithmetic(const std::optional<std::string>& name,
                                            device::Target target) {
  if (!name) return {};
  const engine::ArithmeticFactory arithmetic = engine::parse_arithmetic(*name);
  if (target == device::Target::model) return arithmetic;
  throw Error(fmt::format("--arithmetic needs --on model, not {}", device::target_name(target)));
}

/// The file of --waves for the model's blocks. Throws Error for --waves on a target without waves.
std::optional<engine::BlockWaves> open_waves(const MatmulOptions& options, device::Target target) {
  const bool structural = options.arithmetic == "structural";
  if (options.waves.empty() || target == device::Target::rtl) return std::nullopt;
  if (target == device::Target::model && structural) return engine::BlockWaves(options.waves);
  throw Error("--waves needs --on rtl, or --on model with --arithmetic structural");
}

int run(const MatmulOptions& options) {
  const device::Target target = device::parse_target(options.on);
  numerics::GemmOptions golden;
  golden.accumulate = numerics::parse_accumulate(options.accumulate);
  if (options.alpha && !std::isfinite(*options.alpha)) {
    throw Error("--alpha is beyond float32 (allowed: finite numbers)");
  }
  if (target != device::Target::golden) require_only("--accumulate", options.accumulate, "block");
  device::EngineSetup setup = options.engine.resolve();
  golden.dual = setup.params.fp4_dual != 0;
  golden.threads = options.threads;
  setup.arithmetic = choose_arithmetic(options.arithmetic, target);
  std::optional<engine::BlockWaves> waves = open_waves(options, target);
  if (target == device::Target::rtl) setup.waves = options.waves;
  options.trace.require_possible(target);
  if (options.bursts.wanted() && target == device::Target::golden) {
    throw Error("--bursts needs --on model or rtl: golden has no memory");
  }
  arrays::InputFiles files(options.tensors);
  const job::Products products = read_products(files, options);
  const job::JobShape shape = products.total();
  if (products.jobs.size() > 1 && (!options.waves.empty() || options.trace.wanted())) {
    throw Error(
        fmt::format("--trace and --waves record one product, these are {}", products.jobs.size()));
  }
  if (shape.output.kind != job::OutputFormat::Kind::mx &&
      !(options.elements.empty() && options.scales.empty())) {
    throw Error(
        fmt::format("--elements and --scales are for MX results, not for {}", shape.output.name()));
  }
  arrays::Array<float> expected;
  if (!options.expect.empty()) {
    expected = arrays::to_floats(files.read(options.expect), options.expect);
    arrays::require_same_shape(expected.shape, products.shape,
                               options.expect + ": the expected result");
  }
  files.require_all_names_used();
  if (target != device::Target::golden) shape.require_pair(setup.params);

  std::optional<engine::ChromeTrace> trace = options.trace.open();
  if (trace) setup.tracer = &*trace;
  std::optional<dram::AccessLog> bursts = options.bursts.open(setup.dram);
  if (bursts) setup.accesses = &*bursts;
  if (waves) setup.watcher = &*waves;
  const device::DeviceResult result = run_on(target, setup, products, golden);
  numerics::require_written(setup.waves);
  if (trace) trace->close();
  if (bursts) bursts->close();
  if (waves) waves->close();
  const std::vector<float> values = job::load_output(result.output, shape.m, shape.n, shape.output);
  write_result(options, shape, products.shape, result.output, values);
  MatmulReport report{shape, target, setup.params, setup.timing, products.jobs.size()};
  report.dram = setup.dram;
  report.scales = whole_scales(products, options.alpha);
  report.explains = options.explain;
  if (options.json) {
    print_json(to_json(report, result));
  } else {
    print_text(report, result);
  }
  if (!options.expect.empty()) {
    return report_difference(options, options.expect,
                             job::describe_difference(values, expected.values, shape.n));
  }
  if (target == device::Target::golden || !options.check) return kAgreed;
  return report_difference(options, "golden",
                           job::describe_difference(result.output, products.golden(golden), shape));
}

}  // namespace

Command add_matmul(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "matmul", "Quantize A and B and compute A * B + bias on the reference, the model or the RTL");
  const auto options = std::make_shared<MatmulOptions>();
  command->add_option("A.npy", options->first,
                      "[M, K] of floats, after any number of leading axes: a .npy, .npz or "
                      ".safetensors file, or -, standard input");
  command->add_option("B.npy", options->second,
                      "[K, N], as A; the leading axes of A and B broadcast as in NumPy");
  command->add_flag("--transpose-b", options->transposed, "B is [N, K]");
  add_tensor_option(*command, options->tensors,
                    "A, B (codes: elements, scales), bias, "
                    "expected result");
  options->a.add_to(*command);
  options->b.add_to(*command);
  options->layer.add_to(*command);
  command->add_option("--alpha", options->alpha,
                      "Factor of the sums (default: the product of the tensor scales)");
  command->add_option("--on", options->on, "golden, model or rtl")->required();
  command->add_option("--bias", options->bias, "Bias: [M, N], [N] or the shape of the result");
  command->add_option("--bias-format", options->bias_format, "Format of the bias: fp32 or bf16")
      ->capture_default_str();
  options->result.add_to(*command);
  command
      ->add_option(
          "--accumulate", options->accumulate,
          "Rounding of the sums: block; on golden also exact, sequential, nvidia-blackwell")
      ->capture_default_str();
  command->add_option("--arithmetic", options->arithmetic,
                      "Arithmetic of the model: golden, or structural, block by block as in the "
                      "RTL");
  options->engine.add_to(*command);
  command->add_option(
      "--output", options->output,
      "Write the values of the result, float32 [..., M, N], to a .npy or .safetensors file "
      "or -, standard output");
  command->add_option("--elements", options->elements,
                      "Write the element codes of an MX result, uint8 [M, N]");
  command->add_option("--scales", options->scales,
                      "Write the scale codes of an MX result, uint8 [M, blocks of N]");
  command->add_option("--expect", options->expect,
                      "Compare the result with this file, float32 [M, N], instead of golden");
  options->trace.add_to(*command);
  options->bursts.add_to(*command);
  command->add_option("--waves", options->waves,
                      "Record signals in this file: the RTL's as FST (*.fst), with --arithmetic "
                      "structural those of the model's blocks as VCD (*.vcd)");
  command->add_flag("!--no-check", options->check,
                    "Do not compare the result of model or RTL with golden");
  command
      ->add_option("--threads", options->threads,
                   "Threads for quantizing and golden (default: all); the result is the same")
      ->check(CLI::Range(1u, 1024u));
  command->add_flag("--explain", options->explain,
                    "Print the steps of the sums, their bits and bytes, and the engine's answer");
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
