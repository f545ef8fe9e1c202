// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/params/params.h"
#include "tb/cosim/cosim_job.h"
#include "tb/cosim/job_image.h"
#include "tb/cosim/scoreboard.h"
#include "tb/coverage/bins.h"

namespace mxe {

/// Coverage of jobs: formats, shapes, layouts, and every number of their data and results.
class JobBins {
 public:
  static void define(Bins& bins);

  explicit JobBins(const Params& params) : params_(params) {}
  /// Counts a job that ended without error.
  void sample(const CosimJob& job, const JobImage& image, const Expectation& expected,
              const JobOutcome& outcome, Bins& bins) const;

 private:
  void sample_shape(const CosimJob& job, Bins& bins) const;

  Params params_;
};

}  // namespace mxe
