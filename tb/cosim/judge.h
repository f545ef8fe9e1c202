// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tb/cosim/batch_run.h"
#include "tb/cosim/comparison.h"
#include "tb/cosim/options.h"
#include "tb/cosim/scoreboard.h"

namespace mxe::cosim {

/// Judges batches: each engine against golden GEMM and interface rules (EngineCheck, Scoreboard),
/// and model against RTL: cycles, counters, bus errors, register reads (Comparison).
class Judge {
 public:
  explicit Judge(const CoSimOptions& options) : options_(options) {}

  /// `model` or `rtl` is null if that engine does not run.
  void judge(const Batch& batch, const std::vector<JobImage>& images, const BatchResult* model,
             const BatchResult* rtl);
  void add_failure(const std::string& what, const std::string& about) {
    scoreboard_.add({"simulation", jobs_, what, about});
  }

  const std::vector<Mismatch>& mismatches() const { return scoreboard_.mismatches(); }
  const std::vector<JobCycles>& cycles() const { return cycles_; }
  /// Cycles of the jobs with an abort (Comparison).
  const std::vector<JobCycles>& aborts() const { return aborts_; }
  std::size_t jobs() const { return jobs_; }

 private:
  bool has_comparable_times(const Batch& batch) const;

  const CoSimOptions& options_;
  Scoreboard scoreboard_;
  std::vector<JobCycles> cycles_, aborts_;
  std::size_t jobs_ = 0;  // of all batches so far
};

}  // namespace mxe::cosim
