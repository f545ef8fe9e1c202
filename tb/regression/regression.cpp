// SPDX-License-Identifier: Apache-2.0
#include "tb/regression/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "tb/regression/case_generator.h"
#include "tb/regression/waves.h"

namespace mxe::regression {
namespace {

using WallClock = std::chrono::steady_clock;
using MakeCase = std::function<NamedCase(std::size_t)>;

double seconds_since(WallClock::time_point start) {
  return std::chrono::duration<double>(WallClock::now() - start).count();
}

NamedCase with_arithmetic(NamedCase named, const RegressionOptions& options) {
  named.content.structural = options.structural.value_or(named.content.structural);
  return named;
}

MakeCase make_random(const RegressionOptions& options) {
  return [&options](std::size_t i) {
    const uint64_t seed = options.first_seed + i;
    const std::size_t jobs = options.jobs_per_seed;
    const auto& own = options.rtl.own;
    NamedCase named{fmt::format("{}-{}", options.config, seed),
                    own ? random_case(*own, seed, jobs) : random_case(options.config, seed, jobs)};
    if (options.memory == kDrawnDram) {
      draw_dram(named.content, seed);
    } else if (!options.memory.empty()) {
      named.content.use_dram(options.memory, options.clock_mhz);
    }
    return with_arithmetic(std::move(named), options);
  };
}

/// Message about the replay of a failing case with all values visible.
std::string first_wrong_text(const CaseResult& replay) {
  if (replay.first_wrong) return replay.first_wrong->describe();
  if (replay.agreed()) {
    return "not found: the replay agrees with the reference, so the design that shows all values "
           "does not have the fault";
  }
  if (replay.values_compared == 0) return "not looked for: " + replay.mismatches.front().what;
  return "none in the blocks that are checked; not checked are the command processor, registers, "
         "counters and job checks";
}

class Regression {
 public:
  Regression(const RegressionOptions& options, const Progress& progress)
      : options_(options),
        progress_(progress),
        pool_(
            [this](const CoSimCase& c) {
              return run_case(c, options_.rtl, {}, options_.coverage != nullptr);
            },
            options.parallel) {}

  std::vector<CaseResult> run(std::size_t count, const MakeCase& make) const {
    std::vector<CaseResult> results(count);
    std::size_t finished = 0, failed = 0, jobs = 0;
    pool_.run(
        count, [&](std::size_t i) { return make(i).content; },
        [&](std::size_t i, const CaseResult& result) {
          results[i] = result;
          // Coverage is large and already added.
          if (options_.coverage) coverage::add(*options_.coverage, result.coverage);
          results[i].coverage = {};
          finished++;
          failed += !result.agreed();
          jobs += result.jobs;
          progress_(
              fmt::format("{} of {} cases, {} jobs, {} failed", finished, count, jobs, failed));
        });
    progress_("");
    return results;
  }

  RegressionResult report(const std::vector<CaseResult>& results, const MakeCase& make,
                          bool shrinks) {
    for (std::size_t i = 0; i < results.size(); i++) {
      const NamedCase named = make(i);
      result_.cases.push_back({named.name, results[i]});
      result_.structural += named.content.structural ? 1 : 0;
    }
    sort_into_buckets();
    for (Failure& failure : result_.failures) {
      const auto it = std::find_if(result_.cases.begin(), result_.cases.end(),
                                   [&](const auto& c) { return c.name == failure.cases.front(); });
      const auto number = static_cast<std::size_t>(it - result_.cases.begin());
      save(failure, make(number), it->result, shrinks);
    }
    progress_("");
    return std::move(result_);
  }

 private:
  void sort_into_buckets() {
    for (const NamedResult& c : result_.cases) {
      if (c.result.agreed()) continue;
      const std::string bucket = c.result.bucket();
      auto failure = std::find_if(result_.failures.begin(), result_.failures.end(),
                                  [&](const Failure& f) { return f.bucket == bucket; });
      if (failure == result_.failures.end()) {
        Failure fresh;
        fresh.bucket = bucket;
        fresh.first = c.result.mismatches.front();
        failure = result_.failures.insert(failure, std::move(fresh));
      }
      failure->cases.push_back(c.name);
    }
  }

  void save(Failure& failure, const NamedCase& found, const CaseResult& failed, bool shrinks) {
    CoSimCase minimal = found.content;
    if (shrinks) {
      progress_(fmt::format("shrinking {}", found.name));
      minimal = shrink(
          found.content, failed, [this](const CoSimCase& c) { return pool_.run(c); },
          options_.shrink);
    }
    std::error_code error;
    std::filesystem::create_directories(options_.failures, error);
    if (error) throw Error(fmt::format("cannot make the directory '{}'", options_.failures));
    const std::string base = (std::filesystem::path(options_.failures) / found.name).string();
    failure.case_file = base + ".json";
    save_case(failure.case_file, minimal);
    failure.library = options_.rtl.library;
    failure.minimal_jobs = minimal.jobs();
    if (failure.minimal_jobs > 0) {
      failure.minimal_job = cosim::make_job(minimal.batches.back().jobs.back()).describe();
    }
    if (failure.first.engine != "model") find_first_wrong(failure, minimal);
    if (!options_.waves) return;
    progress_(fmt::format("recording {}", found.name));
    failure.waves = base + ".fst";
    failure.save_file = base + ".gtkw";
    const auto record = [&](const CoSimCase& c) {
      return run_case(c, options_.rtl, failure.waves);
    };
    CasePool(record, 1).run(minimal);
    numerics::require_written(failure.waves);
    write_gtkwave_file(failure.save_file, failure.waves, options_.rtl, failure.wrong_value);
  }

  void find_first_wrong(Failure& failure, const CoSimCase& minimal) const {
    const RtlUnderTest& rtl = options_.rtl;
    // The states in the report of a hang already show its place.
    const bool hangs = failure.bucket.find("hangs") != std::string::npos ||
                       failure.bucket.find("took too long") != std::string::npos;
    if (!rtl.make_watched || rtl.own || hangs) return;
    if (minimal.config != kWatchedConfig) {
      failure.first_wrong = fmt::format(
          "not looked for: only the configuration {0} has a design that shows all values; the same "
          "seeds with --config {0} may find the fault there",
          kWatchedConfig);
      return;
    }
    progress_("looking for the first wrong value");
    try {
      const auto watch = [&rtl](const CoSimCase& c) { return run_watched(c, rtl); };
      const CaseResult result = CasePool(watch, 1).run(minimal);
      failure.wrong_value = result.first_wrong;
      failure.first_wrong = first_wrong_text(result);
    } catch (const Error& error) {
      failure.first_wrong = fmt::format("not looked for: {}", error.what());
    }
  }

  const RegressionOptions& options_;
  const Progress& progress_;
  CasePool pool_;
  RegressionResult result_;
};

}  // namespace

std::size_t RegressionResult::jobs() const {
  std::size_t sum = 0;
  for (const NamedResult& c : cases) sum += c.result.jobs;
  return sum;
}

std::size_t RegressionResult::mismatches() const {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [](const NamedResult& c) { return !c.result.agreed(); }));
}

double RegressionResult::max_cycle_error() const {
  double largest = 0;
  for (const NamedResult& c : cases) largest = std::max(largest, c.result.max_cycle_error);
  return largest;
}

std::size_t RegressionResult::timed_jobs() const {
  std::size_t jobs = 0;
  for (const NamedResult& c : cases) jobs += c.result.timed_jobs;
  return jobs;
}

double RegressionResult::mean_cycle_error() const {
  double sum = 0;
  for (const NamedResult& c : cases) sum += c.result.cycle_error_sum;
  const std::size_t jobs = timed_jobs();
  return jobs == 0 ? 0 : sum / static_cast<double>(jobs);
}

uint64_t RegressionResult::rtl_cycles() const {
  uint64_t sum = 0;
  for (const NamedResult& c : cases) sum += c.result.rtl_cycles;
  return sum;
}

SeedResults run_seeds(const RegressionOptions& options, const Progress& progress) {
  const WallClock::time_point start = WallClock::now();
  SeedResults results(options);
  results.cases = Regression(options, progress).run(options.seeds, make_random(options));
  results.seconds = seconds_since(start);
  return results;
}

RegressionResult report_seeds(const SeedResults& results, const RegressionOptions& options,
                              const Progress& progress) {
  const WallClock::time_point start = WallClock::now();
  RegressionResult result =
      Regression(options, progress).report(results.cases, make_random(options), true);
  result.seconds = results.seconds + seconds_since(start);
  return result;
}

RegressionResult run_regression(const RegressionOptions& options, const Progress& progress) {
  return report_seeds(run_seeds(options, progress), options, progress);
}

RegressionResult run_cases(const std::vector<NamedCase>& cases, const RegressionOptions& options,
                           const Progress& progress) {
  const WallClock::time_point start = WallClock::now();
  const auto make = [&](std::size_t i) { return with_arithmetic(cases[i], options); };
  Regression regression(options, progress);
  RegressionResult result = regression.report(regression.run(cases.size(), make), make, false);
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace mxe::regression
