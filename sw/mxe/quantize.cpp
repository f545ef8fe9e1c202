// SPDX-License-Identifier: Apache-2.0

#include "model/numerics/quantize/quantize.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/numerics/base/parallel.h"
#include "model/numerics/formats/layout.h"
#include "model/numerics/quantize/assemble.h"
#include "sw/arrays/arrays.h"
#include "sw/arrays/output_files.h"
#include "sw/arrays/packing.h"
#include "sw/mxe/array_options.h"
#include "sw/mxe/command.h"
#include "sw/mxe/option_values.h"
#include "sw/mxe/quantizer_choice.h"
#include "sw/mxe/stats_report.h"

namespace mxe::cli {
namespace {

struct QuantizeOptions {
  std::string input, scale_rule, rounding, elements, scales, dequantized, row_amaxes;
  std::vector<std::string> tensor;
  QuantizerChoice quantizer;
  std::optional<double> tensor_scale, tensor_amax;
  std::optional<uint64_t> seed;
  int axis = -1;
  arrays::Packing packing = arrays::Packing::none;
  unsigned threads = hardware_threads();
  bool swizzled = false, typed = false, stats = false, json = false;
};

numerics::Quantizer resolve(const QuantizeOptions& options) {
  numerics::Overrides overrides;
  if (!options.scale_rule.empty()) overrides["scale_rule"] = options.scale_rule;
  if (!options.rounding.empty()) overrides["rounding"] = options.rounding;
  if (options.seed) overrides["seed"] = static_cast<int64_t>(*options.seed);
  if (options.tensor_scale) overrides["tensor_scale"] = *options.tensor_scale;
  if (options.tensor_amax) overrides["tensor_amax"] = *options.tensor_amax;
  numerics::Quantizer quantizer = options.quantizer.resolve(std::move(overrides));
  if (!options.row_amaxes.empty() && !quantizer.options.row_scaled) {
    throw Error(fmt::format("--row-amax is for presets with a scale for every row, not for '{}'",
                            options.quantizer.preset));
  }
  return quantizer;
}

void require_types(const QuantizeOptions& options, const numerics::Quantizer& quantizer) {
  if (!options.typed) return;
  if (options.packing != arrays::Packing::none) {
    throw Error("--typed and --pack exclude each other: --typed needs one code per byte");
  }
  const auto require = [](const numerics::CodeType& type, const std::string& name) {
    if (!type.npy.empty()) return;
    throw Error(fmt::format("--typed: ml_dtypes has no type for the codes of {}", name));
  };
  require(numerics::code_type(quantizer.format), quantizer.format.name);
  require(numerics::code_type(quantizer.options.scale_format),
          quantizer.options.scale_format.name());
}

/// NumPy alone reads ml_dtypes types as raw bytes, so .npy files contain them only with --typed.
numerics::CodeType file_type(const QuantizeOptions& options, numerics::CodeType type) {
  if (!options.typed) type.npy = {};
  return type;
}

void add_elements(arrays::OutputFiles& files, const QuantizeOptions& options,
                  const numerics::QuantizedArray& array) {
  if (array.has_wide_codes()) {
    files.add(options.elements, "elements", array.wide_codes, array.shape);
    return;
  }
  const arrays::Array<uint8_t> packed =
      arrays::pack(array.format, options.packing, {array.shape, array.codes});
  const bool bytes = options.packing != arrays::Packing::none;
  files.add(options.elements, "elements", packed.values, packed.shape,
            bytes ? numerics::CodeType{} : file_type(options, numerics::code_type(array.format)));
}

void add_scales(arrays::OutputFiles& files, const QuantizeOptions& options,
                const numerics::QuantizedArray& array) {
  if (options.swizzled) {
    numerics::require_swizzle(array.has_scale_codes, array.scale_shape.size(), array.axis,
                              array.shape.size());
  }
  if (!array.has_scale_codes) {
    files.add(options.scales, "scales", array.scales, array.scale_shape);
    return;
  }
  arrays::Array<uint8_t> scales{array.scale_shape, array.scale_codes};
  if (options.swizzled) scales = arrays::swizzle(scales);
  files.add(options.scales, "scales", scales.values, scales.shape,
            file_type(options, numerics::code_type(array.options.scale_format)));
}

/// Adds tensor scale and amax, if any, to the .safetensors file of the scales, else of the
/// elements. "-" is such a file only if it takes both.
void add_tensor_scale(arrays::OutputFiles& files, const QuantizeOptions& options,
                      const numerics::QuantizedArray& array) {
  const numerics::WholeScale whole = numerics::whole_scale(array.options);
  if (whole != numerics::WholeScale::tensor_scale && whole != numerics::WholeScale::tensor_amax)
    return;
  const bool together = options.elements == options.scales;
  for (const std::string& path : {options.scales, options.elements}) {
    if (std::filesystem::path(path).extension() != ".safetensors" && !(path == "-" && together)) {
      continue;
    }
    files.add(path, "tensor_scale", std::vector<float>{array.tensor_scale}, {});
    files.add(path, "tensor_amax", std::vector<float>{array.tensor_amax}, {});
    return;
  }
}

void write_files(const QuantizeOptions& options, const numerics::QuantizedArray& array) {
  arrays::OutputFiles files;
  if (!options.elements.empty()) add_elements(files, options, array);
  if (!options.scales.empty()) add_scales(files, options, array);
  add_tensor_scale(files, options, array);
  files.add(options.dequantized, "dequantized", array.dequantized, array.shape);
  files.add(options.row_amaxes, "row_amax", array.row_amaxes, {array.row_amaxes.size()});
  files.write();
}

Json describe(const QuantizeOptions& options, const numerics::QuantizedArray& array) {
  Json json{
      {"format", options.quantizer.format},
      {"preset", options.quantizer.preset},
      {"shape", array.shape},
      {"axis", array.axis},
      {"block", array.options.block_size},
      {"blocks", array.scales.size()},
      {"scale_format", array.has_scale_codes ? array.options.scale_format.name() : "float32"}};
  const numerics::WholeScale whole = numerics::whole_scale(array.options);
  if (whole == numerics::WholeScale::tensor_scale || whole == numerics::WholeScale::tensor_amax) {
    json["tensor_scale"] = array.tensor_scale;
    json["tensor_amax"] = array.tensor_amax;
  }
  return json;
}

void print_text(const QuantizeOptions& options, const numerics::QuantizedArray& array) {
  fmt::print("{} as {}: {} blocks of {} along axis {}", numerics::shape_text(array.shape),
             options.quantizer.format, array.scales.size(), array.options.block_size, array.axis);
  switch (numerics::whole_scale(array.options)) {
    case numerics::WholeScale::none:
      break;
    case numerics::WholeScale::tensor_scale:
      fmt::print(", tensor scale {}", array.tensor_scale);
      break;
    case numerics::WholeScale::tensor_amax:
      fmt::print(", tensor scale {}, tensor amax {}", array.tensor_scale, array.tensor_amax);
      break;
    case numerics::WholeScale::row_amaxes:
      fmt::print(", a scale for every row");
      break;
  }
  fmt::print("\n");
}

void print_stats(const numerics::QuantizationStats& stats) {
  fmt::print("  SQNR        {:.2f} dB\n", stats.sqnr_db);
  fmt::print("  max error   {:.6g}\n", stats.max_error);
  fmt::print("  mean error  {:.6g}\n", stats.mean_error);
  fmt::print("  clipped     {} of {}\n", stats.clipped, stats.elements);
  fmt::print("  flushed     {} of {}\n", stats.flushed, stats.elements);
  fmt::print("  NaN         {} values, {} scales\n", stats.nans, stats.nan_scales);
  fmt::print("  storage     {:.2f} bits an element\n", stats.bits_per_element);
}

int run(const QuantizeOptions& options) {
  const numerics::Quantizer quantizer = resolve(options);
  arrays::check_packing(quantizer.format, options.packing);
  require_types(options, quantizer);
  const arrays::Numbers input = arrays::read_numbers(options.input, options.tensor);
  numerics::QuantizeRequest request;
  request.axis = options.axis;
  request.dequantize = options.stats || !options.dequantized.empty();
  request.threads =
      threads_for(numerics::element_count(input.shape()) / kBlockSize, options.threads);
  const numerics::QuantizedArray array = numerics::quantize(
      input.array(), input.shape(), quantizer.format, quantizer.options, request);
  write_files(options, array);
  std::optional<numerics::QuantizationStats> stats;
  if (options.stats) stats = numerics::quantization_stats(input.to_float32().data(), array);
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
  command->add_option("--axis", options->axis, "Axis of the blocks; -1 is the last")
      ->check(fits<int>())
      ->capture_default_str();
  command->add_option("--scale-rule", options->scale_rule,
                      "floor, ceil, even or rceil (default: the preset's)");
  command->add_option("--round", options->rounding,
                      "rne, away, down, up, trunc or stochastic (default: the preset's)");
  command->add_option("--seed", options->seed, "Seed of --round stochastic (default: 0)");
  command->add_option("--tensor-scale", options->tensor_scale,
                      "nvfp4: a constant scale of the whole array, instead of that of its amax");
  command->add_option("--tensor-amax", options->tensor_amax,
                      "nvfp4: amax for the tensor scale, above 0 (default: that of the array)");
  command->add_option("--row-amax", options->row_amaxes,
                      "Write the amax of each row (presets with a scale per row)");
  command->add_option(
      "--elements", options->elements,
      "Write the element codes: uint8, or uint16 for formats of more than 8 bits, to "
      "a .npy or .safetensors file or -, standard output");
  command->add_option("--scales", options->scales,
                      "Write the scale codes (uint8), or float32 scales where there is no code");
  command->add_option("--dequantized", options->dequantized,
                      "Write the values of the codes (float32)");
  add_packing_option(*command, options->packing);
  add_swizzle_option(*command, options->swizzled);
  command->add_flag("--typed", options->typed,
                    "Give codes in .npy files their ml_dtypes type instead of uint8 (.safetensors "
                    "files always have types)");
  command
      ->add_option("--threads", options->threads,
                   "Threads to use (default: all); the result is the same")
      ->check(CLI::Range(1u, 1024u));
  command->add_flag("--stats", options->stats, "Report error statistics");
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
