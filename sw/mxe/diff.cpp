// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/numerics/quantize/explain.h"
#include "sw/arrays/arrays.h"
#include "sw/mxe/command.h"
#include "sw/mxe/option_values.h"
#include "sw/mxe/skipped_report.h"

namespace mxe::cli {
namespace {

struct DiffOptions {
  std::string input, format;
  std::vector<std::string> tensor;
  std::vector<std::string> presets;
  int axis = -1;
  std::size_t show = 5;
  bool json = false;
};

std::string side_text(const numerics::QuantizerDifference::Side& side) {
  return fmt::format("scale {:.9g}, code 0x{:X}, value {:.9g}", side.scale, side.code, side.value);
}

Json side_json(const numerics::QuantizerDifference::Side& side) {
  return {{"scale", side.scale}, {"code", side.code}, {"value", side.value}};
}

void print_text(const DiffOptions& options, const numerics::QuantizerDifference& difference,
                const std::vector<float>& x) {
  fmt::print("{} of {} elements differ: {} in the scale, {} in the code, {} in the value\n",
             difference.differing.size(), difference.elements, difference.scales, difference.codes,
             difference.values);
  for (const numerics::QuantizerDifference::Cause& cause : difference.causes) {
    fmt::print("  {:<24} explains {}\n", cause.name, cause.elements);
  }
  const std::size_t count = std::min(options.show, difference.differing.size());
  for (std::size_t i = 0; i < count; i++) {
    const auto& element = difference.differing[i];
    const std::size_t at = element.at;
    fmt::print("element {}: {:.9g} ({})\n", at, x[at], element.cause);
    fmt::print("  {:<24} {}\n", options.presets[0], side_text(element.a));
    fmt::print("  {:<24} {}\n", options.presets[1], side_text(element.b));
  }
}

Json describe(const DiffOptions& options, const numerics::QuantizerDifference& difference,
              const std::vector<float>& x) {
  Json causes = Json::array();
  for (const numerics::QuantizerDifference::Cause& cause : difference.causes) {
    causes.push_back({{"switch", cause.name}, {"elements", cause.elements}});
  }
  Json shown = Json::array();
  const std::size_t count = std::min(options.show, difference.differing.size());
  for (std::size_t i = 0; i < count; i++) {
    const auto& element = difference.differing[i];
    shown.push_back({{"at", element.at},
                     {"input", x[element.at]},
                     {"cause", element.cause},
                     {"a", side_json(element.a)},
                     {"b", side_json(element.b)}});
  }
  return {{"format", options.format},
          {"presets", options.presets},
          {"elements", difference.elements},
          {"differing", difference.differing.size()},
          {"scales", difference.scales},
          {"codes", difference.codes},
          {"values", difference.values},
          {"causes", causes},
          {"shown", shown}};
}

int run(DiffOptions options) {
  options.presets = listed("--presets", options.presets);
  if (options.presets.size() != 2) throw Error("--presets needs two names");
  const numerics::Quantizer a = numerics::make_quantizer(options.format, options.presets[0]);
  const numerics::Quantizer b = numerics::make_quantizer(options.format, options.presets[1]);
  numerics::QuantizeRequest request;
  request.axis = options.axis;
  request.threads = hardware_threads();
  Json tensors = Json::array();
  const auto diff = [&](const std::string& name, const arrays::Array<float>& array) {
    const numerics::QuantizerDifference difference =
        numerics::quantizer_difference(array.values.data(), array.shape, a, b, request);
    if (options.json) {
      Json json = describe(options, difference, array.values);
      if (!name.empty()) json["name"] = name;
      tensors.push_back(std::move(json));
      return;
    }
    if (!name.empty()) fmt::print("{} {}\n", name, numerics::shape_text(array.shape));
    print_text(options, difference, array.values);
  };
  arrays::InputFiles files(options.tensor);
  const std::vector<arrays::Skipped> skipped = files.for_each_floats(options.input, diff);
  files.require_all_names_used();
  if (!options.json) {
    print_skipped(skipped);
  } else if (tensors.size() == 1 && skipped.empty()) {
    print_json(tensors[0]);
  } else {
    print_json({{"tensors", tensors}, {"skipped", skipped_json(skipped)}});
  }
  return kAgreed;
}

}  // namespace

Command add_diff(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "diff", "Show where two presets quantize an array differently, and by which switch");
  const auto options = std::make_shared<DiffOptions>();
  command
      ->add_option("IN.npy", options->input,
                   "Arrays of floats: a .npy, .npz or .safetensors file, or -, standard input")
      ->required();
  command->add_option("--tensor", options->tensor, "Only this array of a .npz or .safetensors file")
      ->expected(1);
  command->add_option("--format", options->format, "Element format: see `mxe formats`")->required();
  command->add_option("--presets", options->presets, "A B: the two presets")
      ->required()
      ->expected(1, 2);
  command->add_option("--axis", options->axis, "Axis of the blocks; -1 is the last")
      ->check(fits<int>())
      ->capture_default_str();
  command->add_option("--show", options->show, "Number of elements to show")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
