// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/rtl/rtl_top.h"
#include "sw/mxe/command.h"
#include "sw/mxe/cosim_report.h"
#include "sw/mxe/engine_choice.h"
#include "sw/mxe/option_values.h"
#include "tb/regression/regression.h"
#include "tb/regression/seed_results.h"

namespace mxe::cli {
namespace {

struct Options {
  regression::RegressionOptions regression;
  std::vector<std::string> cases, merge;
  std::string coverage, junit, waves, results, rtl;
  DramChoice dram;
  std::optional<double> cycle_tolerance;
  std::string arithmetic = "drawn";
  bool json = false;
};

/// Without --rtl, throws Error if the project's RTL is missing or older than its sources.
void require_engine(const regression::RegressionOptions& options) {
  if (!options.rtl.own) rtl::require_current_rtl(Params::named(options.config), options.waves);
}

void require_engine_for(const regression::RegressionOptions& options,
                        const regression::NamedCase& named) {
  const regression::CoSimCase& c = named.content;
  if (!options.rtl.own) return rtl::require_current_rtl(Params::named(c.config), options.waves);
  const unsigned depth = options.rtl.own->params.queue_depth;
  if (c.ring > depth) {
    throw Error(fmt::format("case {} has a ring of {} entries, the engine takes {}", named.name,
                            c.ring, depth));
  }
}

std::vector<regression::NamedCase> load_cases(const std::vector<std::string>& paths,
                                              const regression::RegressionOptions& options) {
  std::vector<regression::NamedCase> cases;
  for (const std::string& path : paths) {
    cases.push_back({std::filesystem::path(path).stem().string(), regression::load_case(path)});
    require_engine_for(options, cases.back());
  }
  return cases;
}

/// Runs all seeds, or reads the files of --merge.
regression::RegressionResult random_result(const regression::RegressionOptions& regression,
                                           const std::vector<std::string>& files) {
  require_engine(regression);
  if (files.empty()) return regression::run_regression(regression, show_progress);
  return regression::report_seeds(regression::merge_results(files, regression), regression,
                                  show_progress);
}

/// Runs the seeds and saves the results for --merge.
int run_part(const regression::RegressionOptions& regression, const std::string& file) {
  require_engine(regression);
  const regression::SeedResults results = regression::run_seeds(regression, show_progress);
  regression::save_results(file, results);
  const auto failed = std::count_if(results.cases.begin(), results.cases.end(),
                                    [](const regression::CaseResult& c) { return !c.agreed(); });
  fmt::print("{} cases, {} failed: {}\n", results.cases.size(), failed, file);
  return failed == 0 ? kAgreed : kDisagreed;
}

int run_and_report(const Options& options, regression::RegressionOptions regression) {
  regression.waves = !options.waves.empty();
  if (regression.waves) regression.failures = options.waves;
  regression::RegressionResult result;
  if (options.cases.empty()) {
    result = random_result(regression, options.merge);
  } else {
    result =
        regression::run_cases(load_cases(options.cases, regression), regression, show_progress);
  }
  if (!options.junit.empty()) write_junit(options.junit, result);
  if (options.json) {
    print_json(to_json(result));
  } else {
    print_text(result);
  }
  return result.failures.empty() ? kAgreed : kDisagreed;
}

int run(const Options& options) {
  regression::RegressionOptions regression = options.regression;
  if (!options.rtl.empty()) {
    regression.rtl = regression::load_engine(options.rtl);
    regression.config = regression.rtl.own->name;
  }
  if (options.dram.text() != regression::kDrawnDram) {
    if (const auto dram = options.dram.resolve()) {
      regression.clock_mhz = dram->clock_mhz;
      regression::CoSimCase cosim_case;
      cosim_case.use_dram(options.dram.text(), dram->clock_mhz);
      cosim_case.dram();  // throws for a file
    }
  } else if (options.dram.has_clock()) {
    throw Error("--memory drawn excludes --clock-mhz");
  }
  regression.memory = options.dram.text();
  if (options.arithmetic != "drawn") regression.structural = options.arithmetic == "structural";
  if (options.cycle_tolerance) regression.rtl.cycle_tolerance = *options.cycle_tolerance;
  coverage::CoverageCounts coverage;
  if (!options.coverage.empty()) regression.coverage = &coverage;
  const int status = options.results.empty() ? run_and_report(options, regression)
                                             : run_part(regression, options.results);
  if (regression.coverage) coverage::write_coverage(options.coverage, coverage);
  return status;
}

}  // namespace

Command add_cosim(CLI::App& app) {
  CLI::App* command = app.add_subcommand("cosim", kCosimDescription);
  const auto options = std::make_shared<Options>();
  regression::RegressionOptions& regression = options->regression;
  regression.parallel = hardware_threads();
  command->add_option("--jobs-per-seed", regression.jobs_per_seed, "Number of jobs per seed")
      ->check(above_zero())
      ->capture_default_str();
  command
      ->add_option("--seeds", regression.seeds,
                   "Number of seeds; each seed runs in a separate process")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option("--seed", regression.first_seed, "First seed")->capture_default_str();
  CLI::Option* config =
      command->add_option("--config", regression.config, "Configuration: small, base or large");
  config->capture_default_str();
  command
      ->add_option("--rtl", options->rtl,
                   "Run another engine, a shared library, instead of the project's RTL")
      ->excludes(config);
  command
      ->add_option("--cycle-tolerance", options->cycle_tolerance,
                   "Allowed difference of model and RTL in the cycles of a job, relative to the "
                   "RTL (default: 0; not compared with --rtl)")
      ->check(not_negative());
  command
      ->add_option(
          "--arithmetic", options->arithmetic,
          "Arithmetic of the model: golden, structural (block by block), or drawn: structural "
          "in every fourth random case, in case files as they define")
      ->check(CLI::IsMember({"golden", "structural", "drawn"}))
      ->capture_default_str();
  options->dram.add_to(
      *command,
      "DRAM of all random cases instead of a latency and a bandwidth: preset, with "
      "options after a colon (docs/memory.md); drawn: another preset and clock in "
      "each case; list: prints the presets");
  command->add_option("--parallel", regression.parallel, "Number of parallel processes")
      ->check(above_zero())
      ->check(fits<unsigned>())
      ->capture_default_str();
  CLI::Option* cases =
      command->add_option("--case", options->cases, "Run these case files instead of random cases");
  command->get_option("--memory")->excludes(cases);
  CLI::Option* junit =
      command->add_option("--junit", options->junit, "Write a JUnit report to this file");
  command
      ->add_option("--failures", regression.failures,
                   "Save the minimal case of each failure in this directory")
      ->capture_default_str();
  CLI::Option* waves = command->add_option(
      "--waves-on-failure", options->waves,
      "Save the minimal cases in this directory, each with FST waves and a GTKWave save file");
  CLI::Option* coverage =
      command
          ->add_option("--coverage", options->coverage,
                       "Write coverage data to this directory, for scripts/coverage")
          ->type_name("DIR");
  CLI::Option* json = command->add_flag("--json", options->json, "Print one JSON object");
  CLI::Option* merge = command->add_option(
      "--merge", options->merge,
      "Report the results in these files of --results instead of running the seeds");
  merge->excludes(cases)->excludes(coverage);
  command
      ->add_option("--results", options->results,
                   "Save the results of the seeds in this file, for --merge, without a report")
      ->excludes(cases)
      ->excludes(junit)
      ->excludes(waves)
      ->excludes(json)
      ->excludes(merge);
  add_build_option(*command);
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
