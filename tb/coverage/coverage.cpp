// SPDX-License-Identifier: Apache-2.0
#include "tb/coverage/coverage.h"

namespace mxe::coverage {

Bins all_bins() {
  Bins bins;
  JobBins::define(bins);
  DeviceBins::define(bins);
  RegisterBins::define(bins);
  PortBins::define(bins);
  StateBins::define(bins);
  return bins;
}

Coverage::Coverage(const Params& params) : jobs_(params), ports_(params) {}

void Coverage::job_compared(const cosim::CosimJob& job, const cosim::JobImage& image,
                            const cosim::Expectation& expected, const cosim::JobOutcome& outcome) {
  device_.job_ended(outcome, bins_);
  if (outcome.result == MXE_OK) jobs_.sample(job, image, expected, outcome, bins_);
}

void Coverage::batch_compared(const struct mxe_counters& counters,
                              const struct mxe_counters& read) {
  device_.counters_are(counters, read, bins_);
}

void Coverage::cycle(const rtl::RtlTop& top, const rtl::RtlInputs& in, const rtl::RtlOutputs& out) {
  if (!states_) states_.emplace(top.signals());
  states_->cycle();
  ports_.cycle(in, out);
  registers_.cycle(in, out);
}

BinCounts Coverage::counts() const {
  Bins bins = bins_;
  bins.add(registers_.counts());
  ports_.report(bins);
  if (states_) states_->report(bins);
  return bins.counts();
}

}  // namespace mxe::coverage
