// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "tb/cosim/batch_run.h"
#include "tb/cosim/options.h"
#include "tb/cosim/scoreboard.h"

namespace mxe::cosim {

/// Checks the results of a batch on one engine.
class EngineCheck {
 public:
  /// `number`: jobs before this batch.
  EngineCheck(const CoSimOptions& options, const Batch& batch, const BatchResult& result,
              std::size_t number, Scoreboard& scoreboard);

  const EngineFeatures& features() const { return result_.device->features(); }
  /// Checks job i. `expected` does not contain the effects of disturbances.
  void check_job(std::size_t i, const JobImage& image, Expectation expected);
  void check_registers();
  /// Checks the counters that do not depend on timing. Not for batches with a pause, a reset or bus
  /// errors.
  void check_counts();

 private:
  bool meets(std::size_t job, const char* part_of_ring) const;
  bool is_faulty(uint64_t address) const;
  void check_last_job();
  void check_faults();
  void observe(const CosimJob& job, const JobImage& image, const Expectation& expected,
               const JobOutcome& outcome);
  void add(const std::string& what, const std::string& about = "");

  const CoSimOptions& options_;
  const Batch& batch_;
  const BatchResult& result_;
  const std::string& engine_;
  std::size_t number_;
  Scoreboard& scoreboard_;
  JobCounts counts_;  // expected, of the jobs checked so far
};

}  // namespace mxe::cosim
