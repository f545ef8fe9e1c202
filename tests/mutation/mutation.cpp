// SPDX-License-Identifier: Apache-2.0
// Runs the regression on one mutant until a case fails that passes without it, and prints the case.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/rtl/plugin_loader.h"
#include "tb/regression/case_generator.h"
#include "tb/regression/case_runner.h"
#include "tests/faults/planted_fault.h"
#include "tests/mutation/mutants.h"

namespace mxe::test {
namespace {

struct Options {
  std::string group = "control";
  unsigned mutant = 0, fault = 0, always = 0;
  std::size_t jobs = 1000;
  uint64_t seed = 1;
  std::string cases, only_case;
};

struct Case {
  std::string name;
  regression::CoSimCase content;
};

std::vector<Case> directed_cases(const std::string& directory) {
  std::vector<Case> cases;
  if (directory.empty()) return cases;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".json") continue;
    Case c{entry.path().stem().string(), regression::load_case(entry.path().string())};
    if (c.content.config == "small") cases.push_back(std::move(c));
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

/// Until one fails: 4 cases of 15 random jobs, which find most faults; directed cases; cases of 60.
class Ladder {
 public:
  explicit Ladder(const Options& options) : options_(options) {}

  /// Prints the outcome as JSON.
  void run() {
    const auto start = std::chrono::steady_clock::now();
    if (options_.only_case.empty()) {
      climb();
    } else {
      const std::filesystem::path file = options_.only_case;
      try_case(file.stem().string(), regression::load_case(file.string()));
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const regression::Json json{{"killed", killed()}, {"case", case_},
                                {"bucket", bucket_},  {"message", message_},
                                {"jobs", jobs_},      {"seconds", seconds.count()}};
    fmt::print("{}\n", json.dump());
  }

 private:
  bool killed() const { return !bucket_.empty(); }

  void climb() {
    constexpr std::size_t kFirstSeeds = 4, kFewJobs = 15, kManyJobs = 60;
    uint64_t seed = options_.seed;
    std::size_t random_jobs = 0;
    const auto try_next = [&](std::size_t jobs) {
      try_seed(seed++, jobs);
      random_jobs += jobs;
    };
    for (std::size_t i = 0; i < kFirstSeeds && !killed() && random_jobs < options_.jobs; i++) {
      try_next(kFewJobs);
    }
    for (const Case& c : directed_cases(killed() ? "" : options_.cases)) {
      if (!killed()) try_case(c.name, c.content);
    }
    while (!killed() && random_jobs < options_.jobs) try_next(kManyJobs);
  }

  void try_seed(uint64_t seed, std::size_t jobs) {
    try_case(fmt::format("seed {} of {} jobs", seed, jobs),
             regression::random_case("small", seed, jobs));
  }

  void try_case(const std::string& name, const regression::CoSimCase& content) {
    const regression::CaseResult result = run_with(options_.mutant, options_.fault, content);
    jobs_ += result.jobs;
    if (result.agreed()) return;
    const regression::CaseResult correct = run_with(0, options_.always, content);
    if (!correct.agreed()) {
      throw Error(fmt::format("group '{}' fails without a fault, too, in {}: {}", options_.group,
                              name, correct.mismatches.front().what));
    }
    case_ = name;
    bucket_ = result.bucket();
    message_ = result.mismatches.front().what;
  }

  regression::CaseResult run_with(unsigned mutant, unsigned fault,
                                  const regression::CoSimCase& content) const {
    const regression::MakeTop make_top = [&](const Params& params, const std::string& waves) {
      if (options_.group == "planted") return rtl::design_factory("mxe_rtl_faults")(params, waves);
      return make_mutant(options_.group, mutant, params, waves);
    };
    plant_fault(static_cast<int>(fault));
    const auto run = [&](const regression::CoSimCase& c) {
      return regression::run_case(c, make_top);
    };
    constexpr unsigned kSeconds = 60;  // a mutant may not end
    return regression::CasePool(run, 1, kSeconds).run(content);
  }

  const Options& options_;
  std::size_t jobs_ = 0;
  std::string case_, bucket_, message_;
};

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"Run the regression on one faulty version of the RTL, configuration small"};
  app.add_option("--group", options.group, "Group of the mutant, or 'planted'");
  app.add_option("--mutant", options.mutant, "Number of the mutant; 0: none");
  app.add_option("--fault", options.fault, "Number of the fault planted by hand; 0: none");
  app.add_option("--always", options.always,
                 "Fault that stays where there should be none: to test that this is noticed");
  app.add_option("--jobs", options.jobs, "Random jobs to survive");
  app.add_option("--seed", options.seed, "The first seed");
  app.add_option("--cases", options.cases, "Directory of directed cases");
  app.add_option("--only-case", options.only_case, "File of the one case to run");
  CLI11_PARSE(app, argc, argv);
  Ladder(options).run();
  return 0;
}

}  // namespace
}  // namespace mxe::test

int sc_main(int argc, char** argv) {
  try {
    return mxe::test::run(argc, argv);
  } catch (const mxe::Error& error) {
    fmt::print(stderr, "mxe_mutation: {}\n", error.what());
    return 2;
  }
}
