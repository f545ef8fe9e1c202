// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tb/cosim/cosim.h"
#include "tb/coverage/bins.h"
#include "tb/coverage/device_bins.h"
#include "tb/coverage/job_bins.h"
#include "tb/coverage/port_bins.h"
#include "tb/coverage/register_bins.h"
#include "tb/coverage/state_bins.h"

namespace mxe::coverage {

Bins all_bins();

/// Counts data and results of compared jobs, statuses, counters, and the pins and states of all
/// cycles.
class Coverage : public cosim::CoSimObserver {
 public:
  explicit Coverage(const Params& params);

  void job_compared(const cosim::CosimJob& job, const cosim::JobImage& image,
                    const cosim::Expectation& expected, const cosim::JobOutcome& outcome) override;
  void batch_compared(const struct mxe_counters& counters,
                      const struct mxe_counters& read) override;
  void cycle(const rtl::RtlTop& top, const rtl::RtlInputs& in, const rtl::RtlOutputs& out) override;

  BinCounts counts() const;

 private:
  Bins bins_ = all_bins();
  JobBins jobs_;
  DeviceBins device_;
  RegisterBins registers_;
  PortBins ports_;
  std::optional<StateBins> states_;  // created in the first cycle
};

}  // namespace mxe::coverage
