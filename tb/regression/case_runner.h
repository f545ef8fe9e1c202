// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tb/blame/blame.h"
#include "tb/coverage/counts.h"
#include "tb/regression/cosim_case.h"
#include "tb/regression/own_engine.h"

namespace mxe::regression {

struct CaseResult {
  std::size_t jobs = 0;
  std::vector<cosim::Mismatch> mismatches;  ///< of the first failing batch; empty: all agree
  std::size_t failed_batch = 0;
  std::size_t timed_jobs = 0;  ///< jobs with compared cycle counts
  double max_cycle_error = 0, cycle_error_sum = 0;
  uint64_t rtl_cycles = 0;
  double seconds = 0;
  coverage::CoverageCounts coverage;  ///< empty unless requested
  // Set by run_watched() only:
  std::optional<blame::WrongValue> first_wrong;
  uint64_t values_compared = 0;

  bool agreed() const { return mismatches.empty(); }
  /// The message of a failure without its numbers; failures with the same cause share a bucket.
  std::string bucket() const;
};

Json to_json(const std::optional<blame::WrongValue>& wrong);

Json to_json(const CaseResult& result);
/// Inverse of to_json(). Throws exceptions of the JSON library for invalid input.
CaseResult case_result_from_json(const Json& json);

/// Runs a case up to the first failing batch; call it once per process. `waves`: FST file or "".
CaseResult run_case(const CoSimCase& cosim_case, const RtlUnderTest& rtl = {},
                    const std::string& waves = {}, bool with_coverage = false);

/// Also finds the first wrong value of a block. Requires rtl.make_watched and kWatchedConfig.
CaseResult run_watched(const CoSimCase& cosim_case, const RtlUnderTest& rtl = {});

/// Runs cases in child processes, `parallel` at a time. A crash, a run above `limit_seconds` of
/// processor time, or above 20 times that by the clock, and a failed RTL assertion become
/// mismatches of the case.
class CasePool {
 public:
  using Run = std::function<CaseResult(const CoSimCase&)>;

  CasePool(Run run, unsigned parallel, unsigned limit_seconds = 600)
      : run_(std::move(run)), parallel_(parallel), limit_seconds_(limit_seconds) {}

  /// Runs `count` cases; calls `done` in this process for each result, in any order.
  void run(std::size_t count, const std::function<CoSimCase(std::size_t)>& make,
           const std::function<void(std::size_t, const CaseResult&)>& done) const;
  CaseResult run(const CoSimCase& cosim_case) const;

 private:
  Run run_;
  unsigned parallel_, limit_seconds_;
};

}  // namespace mxe::regression
