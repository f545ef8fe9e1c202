// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/params/params.h"
#include "mxe_driver.h"
#include "tb/cosim/cosim_job.h"
#include "tb/cosim/job_image.h"

namespace mxe::cosim {

/// One thing that was not as it must be.
struct Mismatch {
  std::string engine;   ///< "model", "rtl", or both if they disagree
  std::size_t job = 0;  ///< number of the job since the start
  std::string what;     ///< one line: where, what was expected, what was found
  std::string about;    ///< the job, described, or the states of the RTL; or empty
};

/// What an engine made of one job.
struct JobOutcome {
  int result = 0;  ///< of mxe_wait
  mxe_completion completion{};
  std::vector<uint8_t> memory;  ///< the job's range of memory afterwards
  uint64_t seen_done = 0;       ///< clock cycle in which software knew, from the start of the run
};

/// What a job must do.
struct Expectation {
  int result = MXE_OK;          ///< of mxe_wait
  std::vector<uint8_t> memory;  ///< its range of memory afterwards
  JobCounts counts;
};

/// Compares outcomes with what the golden GEMM says: every byte of memory, the status, the record.
class Scoreboard {
 public:
  /// What `job`, laid out as `image`, must do on an engine.
  static Expectation expected(const CosimJob& job, const JobImage& image,
                              const EngineFeatures& engine = {});
  /// Adds what is wrong with `outcome` to mismatches(). At most one mismatch about memory.
  void check(const std::string& engine, std::size_t number, const CosimJob& job,
             const JobImage& image, const Expectation& expected, const JobOutcome& outcome);
  /// The same for a job that ended, as it may, with the error `outcome.result`: each byte is as
  /// before or as expected.
  void check_broken_off(const std::string& engine, std::size_t number, const CosimJob& job,
                        const JobImage& image, const Expectation& expected,
                        const JobOutcome& outcome);
  /// Compares the counters that do not depend on timing with `expected`, the sums over all jobs.
  void check_counts(const std::string& engine, std::size_t number, const JobCounts& expected,
                    const struct mxe_counters& found);
  void add(Mismatch mismatch) { mismatches_.push_back(std::move(mismatch)); }

  const std::vector<Mismatch>& mismatches() const { return mismatches_; }

 private:
  std::vector<Mismatch> mismatches_;
};

}  // namespace mxe::cosim
