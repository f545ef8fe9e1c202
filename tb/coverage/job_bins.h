// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/params/params.h"
#include "tb/cosim/cosim_job.h"
#include "tb/cosim/job_image.h"
#include "tb/cosim/scoreboard.h"
#include "tb/coverage/bins.h"

namespace mxe::coverage {

class JobBins {
 public:
  static void define(Bins& bins);

  explicit JobBins(const Params& params) : params_(params) {}
  void sample(const cosim::CosimJob& job, const cosim::JobImage& image,
              const cosim::Expectation& expected, const cosim::JobOutcome& outcome,
              Bins& bins) const;

 private:
  void sample_shape(const cosim::CosimJob& job, Bins& bins) const;

  Params params_;
};

}  // namespace mxe::coverage
