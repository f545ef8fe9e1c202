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

namespace mxe {

/// What came of a case.
struct CaseResult {
  std::size_t jobs = 0;
  std::vector<Mismatch> mismatches;  ///< of the first batch that has any; none: all agreed
  std::size_t failed_batch = 0;      ///< its number
  std::size_t timed_jobs = 0;        ///< jobs whose cycles were compared
  double max_cycle_error = 0, cycle_error_sum = 0;
  uint64_t rtl_cycles = 0;
  double seconds = 0;
  CoverageCounts coverage;  ///< empty unless asked for
  // Of run_watched() only:
  std::optional<blame::WrongValue> first_wrong;  ///< the first wrong value, if there was any
  uint64_t values_compared = 0;

  bool agreed() const { return mismatches.empty(); }
  /// The bucket of a failure: its message without the numbers, so that failures of one cause share
  /// a bucket.
  std::string bucket() const;
};

/// A wrong value as JSON, null for none.
Json to_json(const std::optional<blame::WrongValue>& wrong);

/// The whole result as JSON, for another process.
Json to_json(const CaseResult& result);
/// The inverse. Throws what the JSON library throws for anything else.
CaseResult case_result_from_json(const Json& json);

/// Runs a case in this process, up to the first batch that fails. One per process. `waves` is an
/// FST file to record, or empty.
CaseResult run_case(const CoSimCase& cosim_case, const RtlUnderTest& rtl = {},
                    const std::string& waves = {}, bool with_coverage = false);

/// The same on the RTL with all its values to be seen: also looks for the first value that a block
/// made wrong. `rtl` must have such a design, and the case must be of the configuration
/// kWatchedConfig.
CaseResult run_watched(const CoSimCase& cosim_case, const RtlUnderTest& rtl = {});

/// Runs cases in processes of their own, `parallel` at a time. What ends a process (a crash, a hang
/// of more than `limit_seconds`) becomes a mismatch of its case; so does what an assertion of the
/// RTL printed.
class CasePool {
 public:
  using Run = std::function<CaseResult(const CoSimCase&)>;

  CasePool(Run run, unsigned parallel, unsigned limit_seconds = 600)
      : run_(std::move(run)), parallel_(parallel), limit_seconds_(limit_seconds) {}

  /// Runs `count` cases; `done` is called in this process as results come, in any order.
  void run(std::size_t count, const std::function<CoSimCase(std::size_t)>& make,
           const std::function<void(std::size_t, const CaseResult&)>& done) const;
  CaseResult run(const CoSimCase& cosim_case) const;

 private:
  Run run_;
  unsigned parallel_, limit_seconds_;
};

}  // namespace mxe
