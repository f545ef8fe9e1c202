// SPDX-License-Identifier: Apache-2.0
// mxe_accuracy: runs random jobs on the model and on the RTL and compares their cycles.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <systemc>
#include <vector>

#include "model/numerics/base/error.h"
#include "tests/accuracy/report.h"

namespace {

struct Options {
  std::vector<std::string> configurations = {"small", "base", "narrow", "beats"};
  unsigned jobs = 520;
  uint64_t max_cycles = 300'000, seed = 1;
  std::string update;
};

mxe::test::Accuracy run(const mxe::test::Configuration& configuration, const Options& options,
                        unsigned jobs, bool jitter) {
  mxe::test::Accuracy accuracy(configuration.name, jitter);
  mxe::test::Workload workload(configuration.params, 2 * options.seed + (jitter ? 1 : 0),
                               options.max_cycles);
  const bool progress = isatty(STDERR_FILENO) != 0;
  while (accuracy.jobs() < jobs) {
    const auto left = static_cast<unsigned>(jobs - accuracy.jobs());
    accuracy.add(mxe::test::measure(configuration, workload.next(left, jitter)));
    if (progress) {
      fmt::print(stderr, "\r{:<8} {:>4} of {} jobs", configuration.name, accuracy.jobs(), jobs);
    }
  }
  if (progress) fmt::print(stderr, "\n");
  return accuracy;
}

int run_all(const Options& options) {
  std::string table = mxe::test::Accuracy::header();
  std::vector<std::string> failures;
  fmt::print("seed {}\n{}", options.seed, table);
  for (const std::string& name : options.configurations) {
    const mxe::test::Configuration configuration = mxe::test::configuration(name);
    for (const bool jitter : {false, true}) {
      const mxe::test::Accuracy accuracy =
          run(configuration, options, jitter ? options.jobs / 5 : options.jobs, jitter);
      fmt::print("{}", accuracy.row());
      std::fflush(stdout);
      table += accuracy.row();
      const std::vector<std::string> lines = accuracy.failures();
      failures.insert(failures.end(), lines.begin(), lines.end());
    }
  }
  for (const std::string& failure : failures) fmt::print(stderr, "mxe_accuracy: {}\n", failure);
  if (!failures.empty()) return 1;
  if (!options.update.empty()) mxe::test::replace_section(options.update, "accuracy", table);
  return 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
  Options options;
  CLI::App app{"Cycles of random jobs on the model against the RTL"};
  app.add_option("--config", options.configurations, "small, base, narrow, beats")
      ->capture_default_str();
  app.add_option("--jobs", options.jobs,
                 "Jobs of each configuration; a fifth as many more with random memory latency")
      ->capture_default_str();
  app.add_option("--max-cycles", options.max_cycles, "About the longest job")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of everything random")->capture_default_str();
  app.add_option("--update", options.update, "Write the table into this file (docs/accuracy.md)");
  CLI11_PARSE(app, argc, argv);
  try {
    return run_all(options);
  } catch (const mxe::Error& error) {
    fmt::print(stderr, "mxe_accuracy: {}\n", error.what());
    return 2;
  }
}
