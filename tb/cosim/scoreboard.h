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

struct Mismatch {
  std::string engine;   ///< "model", "rtl", "both" if they differ, or "simulation"
  std::size_t job = 0;  ///< number since the start
  std::string what;     ///< one line: place, expected and found value
  std::string about;    ///< the job, or the states of the RTL; or empty
};

/// Results of one job on one engine.
struct JobOutcome {
  int result = 0;  ///< of mxe_wait()
  mxe_completion completion{};
  std::vector<uint8_t> memory;  ///< the job's range of memory afterwards
  uint64_t seen_done = 0;       ///< cycles until software sees the end, see Device::finish()

  bool is_bus_error() const {
    return result == MXE_ERR_READ || result == MXE_ERR_WRITE || result == MXE_ERR_FETCH;
  }
};

struct Expectation {
  int result = MXE_OK;          ///< of mxe_wait()
  std::vector<uint8_t> memory;  ///< its range of memory afterwards
  JobCounts counts;
};

/// Compares a job's status and every byte of its memory with those expected.
class Scoreboard {
 public:
  static Expectation expected(const CosimJob& job, const JobImage& image,
                              const EngineFeatures& engine = {});
  /// Adds a mismatch if `outcome` has another status or memory than expected.
  void check(const std::string& engine, std::size_t number, const CosimJob& job,
             const JobImage& image, const Expectation& expected, const JobOutcome& outcome);
  /// For an aborted job, of any status: each byte must be unchanged or have its final value.
  void check_aborted(const std::string& engine, std::size_t number, const CosimJob& job,
                     const JobImage& image, const Expectation& expected, const JobOutcome& outcome);
  /// Compares the counters that do not depend on timing with `expected`, the sums over all jobs.
  void check_counts(const std::string& engine, std::size_t number, const JobCounts& expected,
                    const struct mxe_counters& found);
  void add(Mismatch mismatch) { mismatches_.push_back(std::move(mismatch)); }

  const std::vector<Mismatch>& mismatches() const { return mismatches_; }

 private:
  std::vector<Mismatch> mismatches_;
};

}  // namespace mxe::cosim
