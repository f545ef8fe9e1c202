#pragma once

#include <string>

#include "engine/params.h"
#include "tb/coverage/bins.h"
#include "tb/job.h"
#include "tb/scoreboard.h"

namespace mxe {

/// Coverage of jobs: formats, data, shapes, layouts and results. Data and results are looked at
/// number by number, as they were in memory.
class JobBins {
 public:
  static void define(Bins& bins);

  explicit JobBins(const Params& params) : params_(params) {}
  /// Counts a job that ended well.
  void sample(const Job& job, const JobImage& image, const Expectation& expected,
              const JobOutcome& outcome, Bins& bins) const;

 private:
  void sample_shape(const Job& job, Bins& bins) const;

  Params params_;
};

}  // namespace mxe
