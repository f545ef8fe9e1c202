// mxe compare: what an array loses in each of several formats.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "arrays.h"
#include "command.h"
#include "numerics/study.h"
#include "stats_report.h"

namespace mxe::cli {
namespace {

struct Options {
  std::string input;
  std::vector<std::string> formats;
  bool json = false;
};

void print_table(const std::vector<mx::FormatComparison>& comparisons) {
  fmt::print("{:<12} {:>10} {:>11} {:>12} {:>9} {:>9} {:>9}\n", "format", "SQNR", "max error",
             "mean error", "clipped", "flushed", "bits/el.");
  for (const mx::FormatComparison& comparison : comparisons) {
    const mx::QuantizationStats& stats = comparison.stats;
    fmt::print("{:<12} {:>7.2f} dB {:>11.5g} {:>12.5g} {:>9} {:>9} {:>9.2f}\n", comparison.format,
               stats.sqnr_db, stats.max_error, stats.mean_error, stats.clipped, stats.flushed,
               stats.bits_per_element);
  }
}

int run(const Options& options) {
  const Array<float> input = read_floats(options.input);
  const std::vector<std::string> formats =
      options.formats.empty() ? mx::default_formats() : options.formats;
  const std::vector<mx::FormatComparison> comparisons =
      mx::compare_formats(input.values.data(), input.shape, formats, hardware_threads());
  if (!options.json) {
    print_table(comparisons);
    return kAgreed;
  }
  Json results = Json::array();
  for (const mx::FormatComparison& comparison : comparisons) {
    Json result{{"format", comparison.format}};
    result.update(to_json(comparison.stats));
    results.push_back(result);
  }
  print_json({{"shape", input.shape}, {"formats", results}});
  return kAgreed;
}

}  // namespace

Command add_compare(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("compare", "Quantize an array in several formats and compare the errors");
  const auto options = std::make_shared<Options>();
  command->add_option("IN.npy", options->input, "float32 array; blocks run along its last axis")
      ->required();
  command
      ->add_option("--formats", options->formats, "F,F,... (default: the engine's seven and nvfp4)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
