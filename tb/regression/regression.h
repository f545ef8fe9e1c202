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

namespace mxe::regression {

/// Draws a DRAM, its map and the engine's clock for each case.
inline constexpr const char* kDrawnDram = "drawn";

struct RegressionOptions {
  std::string config = "small";  ///< or the name of your own engine
  uint64_t first_seed = 1;
  std::size_t seeds = 10;
  std::size_t jobs_per_seed = 100;
  unsigned parallel = 1;
  std::string failures = "cosim-failures";  ///< directory for failing cases
  bool waves = false;                       ///< also record waves of the minimal cases
  coverage::CoverageCounts* coverage = nullptr;
  RtlUnderTest rtl;
  ShrinkLimits shrink;
  /// Replaces the memory of random cases: a DRAM as for CoSimCase::memory, or kDrawnDram; empty:
  /// that of the case.
  std::string memory;
  double clock_mhz = 1000;  ///< of the engine, with a DRAM that is not drawn
  /// Replaces CoSimCase::structural of all cases.
  std::optional<bool> structural;
};

struct NamedCase {
  std::string name;
  CoSimCase content;
};

struct NamedResult {
  std::string name;
  CaseResult result;
};

struct SeedResults {
  SeedResults() = default;
  explicit SeedResults(const RegressionOptions& options)
      : config(options.config),
        memory(options.memory),
        clock_mhz(options.clock_mhz),
        jobs_per_seed(options.jobs_per_seed),
        first_seed(options.first_seed) {}

  std::string config, memory;
  double clock_mhz = 1000;
  std::size_t jobs_per_seed = 0;
  uint64_t first_seed = 0;
  std::vector<CaseResult> cases;  ///< of first_seed, first_seed + 1, ...
  double seconds = 0;             ///< wall-clock time
};

struct Failure {
  std::string bucket;
  std::vector<std::string> cases;
  cosim::Mismatch first;  ///< first mismatch of the first case
  std::string case_file;
  std::string library;           ///< file of your own engine, else empty
  std::string waves, save_file;  ///< empty unless recorded
  /// About the first wrong value of the minimal case; empty for your own engines, after hangs, and
  /// if the first mismatch is on the model.
  std::string first_wrong;
  std::optional<blame::WrongValue> wrong_value;
  std::size_t minimal_jobs = 0;
  std::string minimal_job;
};

struct RegressionResult {
  std::vector<NamedResult> cases;  ///< in the order of the seeds or files
  std::vector<Failure> failures;
  std::size_t structural = 0;
  double seconds = 0;

  std::size_t jobs() const;
  std::size_t mismatches() const;  ///< number of cases that failed
  std::size_t timed_jobs() const;  ///< with compared cycle counts
  double max_cycle_error() const;
  double mean_cycle_error() const;
  uint64_t rtl_cycles() const;
};

using Progress = std::function<void(const std::string&)>;

SeedResults run_seeds(const RegressionOptions& options, const Progress& progress);

/// Sorts failures into buckets; saves a minimal case of each. `results` must match `options`.
RegressionResult report_seeds(const SeedResults& results, const RegressionOptions& options,
                              const Progress& progress);

/// run_seeds() and report_seeds(). Passing cases leave no files.
RegressionResult run_regression(const RegressionOptions& options, const Progress& progress);

/// Runs the given cases and reports on them without shrinking.
RegressionResult run_cases(const std::vector<NamedCase>& cases, const RegressionOptions& options,
                           const Progress& progress);

}  // namespace mxe::regression
