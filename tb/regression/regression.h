// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tb/regression/case_runner.h"
#include "tb/regression/shrink.h"

namespace mxe {

struct RegressionOptions {
  std::string config = "small";  ///< or the name of an engine of your own
  uint64_t first_seed = 1;
  std::size_t seeds = 10;
  std::size_t jobs_per_seed = 100;
  unsigned parallel = 1;
  std::string failures = "cosim-failures";  ///< directory for cases that fail, made when needed
  bool waves = false;                       ///< record the minimal cases there too
  CoverageCounts* coverage = nullptr;       ///< what the cases reach is added here
  RtlUnderTest rtl;
  ShrinkLimits shrink;
  /// Whether the model of all cases is structural (CoSimCase::structural), instead of that of those
  /// that say so.
  std::optional<bool> structural;
};

/// A case to run: of a seed, or from a file.
struct NamedCase {
  std::string name;
  CoSimCase content;
};

/// What came of one named case.
struct NamedResult {
  std::string name;
  CaseResult result;
};

/// What came of the random cases of consecutive seeds.
struct SeedResults {
  std::string config;
  std::size_t jobs_per_seed = 0;
  uint64_t first_seed = 0;
  std::vector<CaseResult> cases;  ///< of first_seed, first_seed + 1, ...
  double seconds = 0;             ///< that it took, whatever ran at a time
};

/// Failures of one bucket.
struct Failure {
  std::string bucket;
  std::vector<std::string> cases;  ///< that failed like this
  Mismatch first;                  ///< of the first of them
  std::string case_file;           ///< the minimal case
  std::string library;             ///< of an engine of your own that failed; or empty
  std::string waves, save_file;    ///< empty unless recorded
  /// What the minimal case says about the first block that made a wrong value: a line for people.
  /// Empty for engines of your own and for simulations that did not end.
  std::string first_wrong;
  std::optional<blame::WrongValue> wrong_value;  ///< the same, if there is one
  std::size_t minimal_jobs = 0;
  std::string minimal_job;  ///< what its last job is
};

struct RegressionResult {
  std::vector<NamedResult> cases;  ///< in the order of the seeds or files
  std::vector<Failure> failures;
  std::size_t structural = 0;  ///< cases in which the model computed block by block
  double seconds = 0;

  std::size_t jobs() const;
  std::size_t mismatches() const;  ///< cases that failed
  std::size_t timed_jobs() const;  ///< whose cycles were compared
  double max_cycle_error() const;
  double mean_cycle_error() const;
  uint64_t rtl_cycles() const;
};

/// Called now and then with a line for people that says how far a run has come.
using Progress = std::function<void(const std::string&)>;

/// Runs the random cases of all seeds.
SeedResults run_seeds(const RegressionOptions& options, const Progress& progress);

/// Sorts what failed into buckets, and shrinks one case of each bucket to a minimal one, saved as a
/// file. `results` are those of the seeds that `options` ask for.
RegressionResult report_seeds(const SeedResults& results, const RegressionOptions& options,
                              const Progress& progress);

/// run_seeds and report_seeds in one. Passing cases leave nothing behind.
RegressionResult run_regression(const RegressionOptions& options, const Progress& progress);

/// Runs given cases and reports on them. They are not shrunk: their author chose their size.
RegressionResult run_cases(const std::vector<NamedCase>& cases, const RegressionOptions& options,
                           const Progress& progress);

}  // namespace mxe
