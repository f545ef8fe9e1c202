// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/judge.h"

#include <optional>

#include "tb/cosim/engine_check.h"

namespace mxe::cosim {
namespace {

uint64_t cycles_of(const BatchResult* result, std::size_t i) {
  return result ? result->outcomes[i].completion.cycles : 0;
}

}  // namespace

/// Engines with different times abort jobs at different points. The model runs 1 x 1 x 1 instead of
/// endless jobs.
bool Judge::has_comparable_times(const Batch& batch) const {
  return batch.endless_jobs == 0 && (options_.times_agree() || !batch.is_disturbed());
}

void Judge::judge(const Batch& batch, const std::vector<JobImage>& images, const BatchResult* model,
                  const BatchResult* rtl) {
  std::vector<EngineCheck> checks;
  for (const BatchResult* result : {model, rtl}) {
    if (result) checks.emplace_back(options_, batch, *result, jobs_, scoreboard_);
  }
  std::optional<Comparison> comparison;
  if (model && rtl) comparison.emplace(options_, batch, *model, *rtl, scoreboard_);
  // One engine may refuse a job that the other one runs, if their features differ.
  const auto is_alike = [&](const CosimJob& job) {
    return checks.size() < 2 ||
           job.refused_with(checks[0].features()) == job.refused_with(checks[1].features());
  };
  bool all_alike = true;
  for (std::size_t i = 0; i < batch.jobs.size(); i++, jobs_++) {
    const CosimJob& job = batch.jobs[i];
    const bool alike = is_alike(job);
    std::optional<Expectation> expected;
    for (EngineCheck& check : checks) {
      if (!expected || !alike) expected = Scoreboard::expected(job, images[i], check.features());
      check.check_job(i, images[i], *expected);
    }
    all_alike &= alike;
    if (!alike || !has_comparable_times(batch)) continue;
    const JobCycles cycles{job.describe(), cycles_of(model, i), cycles_of(rtl, i)};
    if (!comparison || comparison->compare_times(i, cycles, jobs_)) cycles_.push_back(cycles);
  }
  for (EngineCheck& check : checks) check.check_registers();
  const bool comparable = comparison && all_alike;
  if (batch.is_disturbed()) {
    if (comparison) comparison->compare_faults(jobs_);
    if (!comparable || !has_comparable_times(batch)) return;
    comparison->compare_before_reset(jobs_);
    comparison->compare_counters(jobs_);
    aborts_.insert(aborts_.end(), comparison->aborts().begin(), comparison->aborts().end());
    return;
  }
  if (batch.pause_after == 0) {
    for (EngineCheck& check : checks) check.check_counts();
  }
  if (!comparable || !options_.times_agree()) return;
  comparison->compare_logs(jobs_);
  comparison->compare_counters(jobs_);
}

}  // namespace mxe::cosim
