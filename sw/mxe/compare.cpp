// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/study.h"
#include "sw/arrays/arrays.h"
#include "sw/mxe/command.h"
#include "sw/mxe/option_values.h"
#include "sw/mxe/skipped_report.h"
#include "sw/mxe/stats_report.h"

namespace mxe::cli {
namespace {

struct CompareOptions {
  std::string input;
  std::vector<std::string> tensor, formats, presets;
  bool json = false;
};

void print_table(const std::vector<numerics::FormatComparison>& comparisons, bool presets) {
  const auto label = [presets](const std::string& format, const std::string& preset) {
    return presets ? fmt::format("{:<12} {:<23}", format, preset) : fmt::format("{:<12}", format);
  };
  fmt::print("{} {:>10} {:>11} {:>12} {:>9} {:>9} {:>9}\n", label("format", "preset"), "SQNR",
             "max error", "mean error", "clipped", "flushed", "bits/el.");
  for (const numerics::FormatComparison& comparison : comparisons) {
    const numerics::QuantizationStats& stats = comparison.stats;
    fmt::print("{} {:>7.2f} dB {:>11.5g} {:>12.5g} {:>9} {:>9} {:>9.2f}\n",
               label(comparison.format, comparison.preset), stats.sqnr_db, stats.max_error,
               stats.mean_error, stats.clipped, stats.flushed, stats.bits_per_element);
  }
}

Json results_json(const std::vector<numerics::FormatComparison>& comparisons) {
  Json results = Json::array();
  for (const numerics::FormatComparison& comparison : comparisons) {
    Json result{{"format", comparison.format}, {"preset", comparison.preset}};
    result.update(to_json(comparison.stats));
    results.push_back(result);
  }
  return results;
}

int run(const CompareOptions& options) {
  const std::vector<std::string> presets = options.presets.empty()
                                               ? std::vector<std::string>{"ocp"}
                                               : listed("--presets", options.presets);
  const std::vector<std::string> formats = options.formats.empty()
                                               ? numerics::common_formats(presets)
                                               : listed("--formats", options.formats);
  arrays::InputFiles files(options.tensor);
  Json tensors = Json::array();
  const auto compare = [&](const std::string& name, const arrays::Array<float>& array) {
    const std::vector<numerics::FormatComparison> comparisons = numerics::compare_formats(
        array.values.data(), array.shape, formats, hardware_threads(), presets);
    if (options.json) {
      tensors.push_back(
          {{"name", name}, {"shape", array.shape}, {"formats", results_json(comparisons)}});
      return;
    }
    if (!name.empty()) fmt::print("{} {}\n", name, numerics::shape_text(array.shape));
    print_table(comparisons, !options.presets.empty());
  };
  const std::vector<arrays::Skipped> skipped = files.for_each_floats(options.input, compare);
  files.require_all_names_used();
  if (!options.json) {
    print_skipped(skipped);
  } else if (tensors.size() == 1 && tensors[0]["name"] == "") {  // an .npy file
    print_json({{"shape", tensors[0]["shape"]}, {"formats", tensors[0]["formats"]}});
  } else {
    print_json({{"tensors", tensors}, {"skipped", skipped_json(skipped)}});
  }
  return kAgreed;
}

}  // namespace

Command add_compare(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("compare", "Quantize an array in several formats and compare the errors");
  const auto options = std::make_shared<CompareOptions>();
  command
      ->add_option("IN.npy", options->input,
                   "Arrays of floats: a .npy, .npz or .safetensors file, or -, standard input; "
                   "blocks run along the last axis")
      ->required();
  command->add_option("--tensor", options->tensor, "Only this array of a .npz or .safetensors file")
      ->expected(1);
  command
      ->add_option("--formats", options->formats, "F,F,... (default: the engine's seven and nvfp4)")
      ->allow_extra_args(false);
  command
      ->add_option("--presets", options->presets,
                   "P,P,... (default: ocp); every preset must have every format")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
