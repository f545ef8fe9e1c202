// SPDX-License-Identifier: Apache-2.0

#include "sw/digits/demo.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "sw/digits/network.h"
#include "sw/mxe/command.h"
#include "sw/mxe/engine_choice.h"

namespace mxe::cli {
namespace {

struct DemoOptions {
  std::string data = digits::digits_directory();
  bool json = false;
  EngineChoice engine;
};

double accuracy(std::size_t correct, const digits::DemoResult& demo) {
  return static_cast<double>(correct) / static_cast<double>(demo.images);
}

Json to_json(const digits::VariantResult& result, const digits::DemoResult& demo) {
  Json json{{"format_a", numerics::element_format(result.variant.activations).name},
            {"format_b", numerics::element_format(result.variant.weights).name},
            {"accuracy", accuracy(result.correct, demo)},
            {"sqnr_db", result.sqnr_db}};
  for (const digits::DeviceRun& run : result.runs) {
    json[fmt::format("{}_cycles", device::target_name(run.target))] = run.cycles;
  }
  json["utilization"] = result.utilization();
  json["agreed"] = result.agreed();
  return json;
}

Json to_json(const digits::DemoResult& demo) {
  Json compared = Json::array({device::target_name(device::Target::golden)});
  for (const device::Target target : demo.devices) compared.push_back(device::target_name(target));
  Json results = Json::array();
  results.push_back(
      {{"format_a", "fp32"}, {"format_b", "fp32"}, {"accuracy", accuracy(demo.correct, demo)}});
  for (const digits::VariantResult& result : demo.variants)
    results.push_back(to_json(result, demo));
  return {
      {"images", demo.images},  {"network", demo.network}, {"config", demo.params.config_name()},
      {"compared", compared},   {"results", results},      {"agreed", demo.agreed()},
      {"seconds", demo.seconds}};
}

void print_row(const digits::VariantResult& result, const digits::DemoResult& demo) {
  fmt::print("{:<32} {:>6.2f} % {:>5.1f} dB", result.variant.name(),
             100 * accuracy(result.correct, demo), result.sqnr_db);
  for (const digits::DeviceRun& run : result.runs) fmt::print(" {:>13}", run.cycles);
  fmt::print(" {:>9.1f} %  {}\n", 100 * result.utilization(),
             result.agreed() ? "agree" : "DISAGREE");
}

void print_table(const digits::DemoResult& demo) {
  fmt::print(
      "{} handwritten digits through a network {} on configuration {} ({} PEs of {} lanes)\n\n",
      demo.images, demo.network, demo.params.config_name(), demo.params.num_pe, kBlockSize);
  fmt::print("{:<32} {:>8} {:>8}", "formats", "accuracy", "SQNR");
  std::string compared = device::target_name(device::Target::golden);
  for (const device::Target target : demo.devices) {
    fmt::print(" {:>13}", fmt::format("{} cycles", device::target_name(target)));
    compared += fmt::format(" = {}", device::target_name(target));
  }
  fmt::print(" {:>11}  {}\n", "utilization", "bits");
  fmt::print("{:<32} {:>6.2f} %\n", "fp32 on the host", 100 * accuracy(demo.correct, demo));
  for (const digits::VariantResult& result : demo.variants) print_row(result, demo);
  fmt::print("\n{} ({:.1f} s)\n",
             demo.agreed() ? compared + " in every bit of every layer" : "The results DISAGREE",
             demo.seconds);
}

void print_differences(const digits::DemoResult& demo) {
  for (const digits::VariantResult& result : demo.variants) {
    for (const digits::DeviceRun& run : result.runs) {
      for (const std::string& difference : run.differences) {
        fmt::print(stderr, "mxe demo: {}\n", difference);
      }
    }
  }
}

int run(const DemoOptions& options) {
  const device::EngineSetup setup = options.engine.resolve();
  const digits::DemoResult demo =
      digits::run_digits_demo(digits::load_digits(options.data), setup, show_progress);
  if (options.json) {
    print_json(to_json(demo));
  } else {
    print_table(demo);
  }
  print_differences(demo);
  return demo.agreed() ? kAgreed : kDisagreed;
}

}  // namespace

Command add_demo(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "demo", "Classify handwritten digits in several formats on reference, model and RTL");
  const auto options = std::make_shared<DemoOptions>();
  command->add_option("--data", options->data, "Directory with images, labels, weights and biases")
      ->capture_default_str();
  options->engine.add_to(*command);
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
