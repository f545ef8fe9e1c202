// mxe cosim: model and RTL side by side on random jobs, every byte, counter and cycle compared.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "cosim_report.h"
#include "numerics/error.h"
#include "tb/regression/regression.h"
#include "tb/rtl_top.h"

namespace mxe::cli {
namespace {

struct Options {
  RegressionOptions regression;
  std::vector<std::string> cases;
  std::string junit, waves;
  bool json = false;
};

std::vector<NamedCase> load_cases(const std::vector<std::string>& paths, bool waves) {
  std::vector<NamedCase> cases;
  for (const std::string& path : paths) {
    cases.push_back({std::filesystem::path(path).stem().string(), load_case(path)});
    require_rtl(Params::named(cases.back().content.config), waves);
  }
  return cases;
}

int run(const Options& options) {
  RegressionOptions regression = options.regression;
  regression.waves = !options.waves.empty();
  if (regression.waves) regression.failures = options.waves;
  RegressionResult result;
  if (options.cases.empty()) {
    require_rtl(Params::named(regression.config), regression.waves);
    result = run_regression(regression, show_progress);
  } else {
    result = run_cases(load_cases(options.cases, regression.waves), regression, show_progress);
  }
  if (!options.junit.empty()) write_junit(options.junit, result);
  if (options.json) {
    print_json(to_json(result));
  } else {
    print_text(result);
  }
  return result.failures.empty() ? kAgreed : kDisagreed;
}

}  // namespace

Command add_cosim(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "cosim", "Run random jobs on model and RTL side by side and compare everything");
  const auto options = std::make_shared<Options>();
  RegressionOptions& regression = options->regression;
  regression.parallel = hardware_threads();
  command->add_option("--jobs-per-seed", regression.jobs_per_seed, "Jobs of each seed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seeds", regression.seeds, "How many seeds, each a process of its own")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seed", regression.first_seed, "The first seed")->capture_default_str();
  command->add_option("--config", regression.config, "The configuration: small, base or large")
      ->capture_default_str();
  command->add_option("--parallel", regression.parallel, "Processes at a time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--case", options->cases,
                      "Run these case files instead of random ones, as they are");
  command->add_option("--junit", options->junit, "Write a JUnit report to this file");
  command->add_option("--waves-on-failure", options->waves,
                      "Record the minimal case of each failure, as FST with a GTKWave save file, "
                      "in this directory");
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
