// SPDX-License-Identifier: Apache-2.0
// mxe quantize: float32 to element codes and block scales.

#include "model/numerics/quantize.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/numerics/npy.h"
#include "sw/mxe/arrays.h"
#include "sw/mxe/command.h"
#include "sw/mxe/packing.h"
#include "sw/mxe/quantizer_choice.h"
#include "sw/mxe/stats_report.h"

namespace mxe::cli {
namespace {

struct QuantizeOptions {
  std::string input, scale_rule, rounding, elements, scales, dequantized, row_amaxes;
  std::vector<std::string> tensor;
  QuantizerChoice quantizer;
  std::optional<float> tensor_amax;
  std::optional<uint64_t> seed;
  int axis = -1;
  Packing packing = Packing::none;
  unsigned threads = hardware_threads();
  bool stats = false, json = false;
};

mx::Quantizer resolve(const QuantizeOptions& options) {
  mx::Quantizer quantizer = options.quantizer.resolve();
  if (!options.scale_rule.empty()) {
    if (!quantizer.options.scale_format.is_power_of_two()) {
      throw mx::Error(fmt::format("--scale-rule is for power-of-two scales, not for {}",
                                  quantizer.options.scale_format.name()));
    }
    quantizer.options.scale_rule = mx::parse_scale_rule(options.scale_rule);
  }
  if (!options.rounding.empty()) {
    quantizer.options.rounding = mx::parse_rounding(options.rounding);
  }
  if (options.seed) {
    if (quantizer.options.rounding != mx::Rounding::stochastic) {
      throw mx::Error("--seed is for --round stochastic");
    }
    quantizer.options.seed = *options.seed;
  }
  if (options.tensor_amax) {
    if (!quantizer.options.uses_tensor_scale) {
      throw mx::Error(
          fmt::format("--tensor-amax is for presets with a scale of the whole tensor, not for '{}'",
                      options.quantizer.preset));
    }
    if (*options.tensor_amax < 0) throw mx::Error("--tensor-amax cannot be negative");
    quantizer.options.tensor_amax = options.tensor_amax;
  }
  if (!options.row_amaxes.empty() && !quantizer.options.row_scaled) {
    throw mx::Error(
        fmt::format("--row-amax is for presets with a scale for every row, not for '{}'",
                    options.quantizer.preset));
  }
  return quantizer;
}

void write_elements(const QuantizeOptions& options, const mx::QuantizedArray& array) {
  if (options.elements.empty()) return;
  if (array.wide_codes.empty()) {
    const Array<uint8_t> packed = pack(array.format, options.packing, {array.shape, array.codes});
    mx::write_npy(options.elements, packed.values.data(), packed.shape);
  } else {
    write_shorts(options.elements, {array.shape, array.wide_codes});
  }
}

void write_scales(const QuantizeOptions& options, const mx::QuantizedArray& array) {
  if (options.scales.empty()) return;
  if (array.scale_codes.empty()) {
    mx::write_npy(options.scales, array.scales.data(), array.scale_shape);
  } else {
    mx::write_npy(options.scales, array.scale_codes.data(), array.scale_shape);
  }
}

Json describe(const QuantizeOptions& options, const mx::QuantizedArray& array) {
  Json json{
      {"format", options.quantizer.format},
      {"preset", options.quantizer.preset},
      {"shape", array.shape},
      {"axis", array.axis},
      {"block", array.options.block_size},
      {"blocks", array.scales.size()},
      {"scale_format", array.scale_codes.empty() ? "float32" : array.options.scale_format.name()}};
  if (array.options.uses_tensor_scale && !array.options.row_scaled) {
    json["tensor_scale"] = array.tensor_scale;
    json["tensor_amax"] = array.tensor_amax;
  }
  return json;
}

void print_text(const QuantizeOptions& options, const mx::QuantizedArray& array) {
  fmt::print("{} as {}: {} blocks of {} along axis {}", shape_text(array.shape),
             options.quantizer.format, array.scales.size(), array.options.block_size, array.axis);
  if (array.options.row_scaled) {
    fmt::print(", a scale for every row");
  } else if (array.options.uses_tensor_scale) {
    fmt::print(", tensor scale {}", array.tensor_scale);
  }
  fmt::print("\n");
}

void print_stats(const mx::QuantizationStats& stats) {
  fmt::print("  SQNR        {:.2f} dB\n", stats.sqnr_db);
  fmt::print("  max error   {:.6g}\n", stats.max_error);
  fmt::print("  mean error  {:.6g}\n", stats.mean_error);
  fmt::print("  clipped     {} of {}\n", stats.clipped, stats.elements);
  fmt::print("  flushed     {} of {}\n", stats.flushed, stats.elements);
  fmt::print("  NaN         {} values, {} scales\n", stats.nans, stats.nan_scales);
  fmt::print("  storage     {:.2f} bits an element\n", stats.bits_per_element);
}

int run(const QuantizeOptions& options) {
  const mx::Quantizer quantizer = resolve(options);
  check_packing(quantizer.format, options.packing);
  const Array<float> input = read_floats(options.input, options.tensor);
  mx::QuantizeRequest request;
  request.axis = options.axis;
  request.dequantize = options.stats || !options.dequantized.empty();
  request.threads = options.threads;
  const mx::QuantizedArray array =
      mx::quantize(input.values.data(), input.shape, quantizer.format, quantizer.options, request);
  write_elements(options, array);
  write_scales(options, array);
  if (!options.dequantized.empty()) {
    mx::write_npy(options.dequantized, array.dequantized.data(), array.shape);
  }
  if (!options.row_amaxes.empty()) {
    mx::write_npy(options.row_amaxes, array.row_amaxes.data(), {array.row_amaxes.size()});
  }
  std::optional<mx::QuantizationStats> stats;
  if (options.stats) stats = mx::quantization_stats(input.values.data(), array);
  if (options.json) {
    Json json = describe(options, array);
    if (stats) json["stats"] = to_json(*stats);
    print_json(json);
  } else {
    print_text(options, array);
    if (stats) print_stats(*stats);
  }
  return kAgreed;
}

}  // namespace

Command add_quantize(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "quantize", "Quantize an array of floats to element codes and block scales");
  const auto options = std::make_shared<QuantizeOptions>();
  command
      ->add_option(
          "IN.npy", options->input,
          "Array of any shape, float32, float64, float16 or bfloat16: a .npy, .npz or .safetensors "
          "file, or -, standard input")
      ->required();
  add_tensor_option(*command, options->tensor);
  options->quantizer.add_to(*command);
  command->add_option("--axis", options->axis, "Axis the blocks run along; -1 is the last")
      ->capture_default_str();
  command->add_option("--scale-rule", options->scale_rule,
                      "floor, ceil, even or rceil (default: the preset's)");
  command->add_option("--round", options->rounding,
                      "rne, away, down, up, trunc or stochastic (default: the preset's)");
  command->add_option("--seed", options->seed, "Of --round stochastic (default: 0)");
  command->add_option("--tensor-amax", options->tensor_amax,
                      "nvfp4: amax that the tensor scale is made of (default: the array's)");
  command->add_option("--row-amax", options->row_amaxes,
                      "Write the amax of every row (presets with a scale for every row)");
  command->add_option("--elements", options->elements,
                      "Write the element codes: uint8, or uint16 for formats of more than 8 bits");
  command->add_option("--scales", options->scales,
                      "Write the scale codes (uint8), or float32 scales where there is no code");
  command->add_option("--dequantized", options->dequantized,
                      "Write the values that the codes stand for (float32)");
  add_packing_option(*command, options->packing);
  command
      ->add_option("--threads", options->threads,
                   "Threads to use (default: all); the result is the same")
      ->check(CLI::Range(1u, 1024u));
  command->add_flag("--stats", options->stats, "Report what was lost");
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
