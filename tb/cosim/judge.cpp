// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mxe_counter_table.h"
#include "tb/cosim/engine_check.h"

namespace mxe::cosim {
namespace {

uint64_t cycles_of(const BatchResult* result, std::size_t i) {
  return result ? result->outcomes[i].completion.cycles : 0;
}

class Comparison {
 public:
  Comparison(const CoSimOptions& options, const Batch& batch, const BatchResult& model,
             const BatchResult& rtl, Scoreboard& scoreboard);

  /// `number`: of the job since the start.
  void compare_times(std::size_t i, const JobCycles& cycles, std::size_t number);
  void compare_faults(std::size_t number);
  void compare_before_reset(std::size_t number);
  void compare_logs(std::size_t number);
  void compare_counters(std::size_t number);

 private:
  /// Counters that must equal the RTL's: all, all but transferred bytes, or those always exact.
  enum class Exact : uint8_t { between_jobs, after_reset, at_any_time };
  static Exact exact_counters(const Batch& batch);

  const CoSimOptions& options_;
  const Batch& batch_;
  const BatchResult &model_, &rtl_;
  Scoreboard& scoreboard_;
};

Comparison::Comparison(const CoSimOptions& options, const Batch& batch, const BatchResult& model,
                       const BatchResult& rtl, Scoreboard& scoreboard)
    : options_(options), batch_(batch), model_(model), rtl_(rtl), scoreboard_(scoreboard) {}

void Comparison::compare_times(std::size_t i, const JobCycles& cycles, std::size_t number) {
  if (options_.cycle_tolerance < 0) return;
  const uint64_t model = model_.outcomes[i].seen_done, rtl = rtl_.outcomes[i].seen_done;
  const auto add = [&](const std::string& what) {
    scoreboard_.add({"both", number, what, cycles.job});
  };
  if (cycles.error() > options_.cycle_tolerance) {
    add(fmt::format("{} cycles on the model, {} on the RTL", cycles.model, cycles.rtl));
  } else if (options_.times_agree() && model != rtl) {
    add(fmt::format("seen done after {} cycles on the model, {} on the RTL", model, rtl));
  }
}

/// If both engines report a bus error of a job, it must be the same. With a cycle tolerance and
/// jitter or a limited bandwidth, the order of reads may differ after the first abort: then only
/// the first error is compared, and none after a reset.
void Comparison::compare_faults(std::size_t number) {
  if (!rtl_.device->features().faults || options_.cycle_tolerance < 0) return;
  const engine::MemoryTiming& timing = options_.timing;
  const bool regular =
      options_.times_agree() || (timing.jitter_seed == 0 && timing.bytes_per_cycle == 0);
  if (!regular && !model_.before_reset.empty()) return;
  for (std::size_t i = 0; i < model_.outcomes.size(); i++) {
    const JobOutcome &model = model_.outcomes[i], &rtl = rtl_.outcomes[i];
    if (!model.is_bus_error() || !rtl.is_bus_error()) continue;
    const mxe_completion &a = model.completion, &b = rtl.completion;
    if (a.fault_operand != b.fault_operand || a.fault_addr != b.fault_addr) {
      scoreboard_.add({"both", number,
                       fmt::format("bus error of operand {} at {:#x} on the model, of {} at {:#x} "
                                   "on the RTL",
                                   a.fault_operand, a.fault_addr, b.fault_operand, b.fault_addr),
                       ""});
    }
    if (!regular) return;
  }
}

/// The reset is in the same cycle on both engines, so the same jobs must have ended before it.
void Comparison::compare_before_reset(std::size_t number) {
  for (std::size_t i = 0; i < model_.before_reset.size(); i++) {
    const JobOutcome &model = model_.before_reset[i], &rtl = rtl_.before_reset[i];
    if (model.result == rtl.result && model.completion.cycles == rtl.completion.cycles) continue;
    scoreboard_.add({"both", number,
                     fmt::format("job {} before the reset: '{}' after {} cycles on the model, '{}' "
                                 "after {} on the RTL",
                                 i, mxe_strerror(model.result), model.completion.cycles,
                                 mxe_strerror(rtl.result), rtl.completion.cycles),
                     ""});
    return;
  }
}

void Comparison::compare_logs(std::size_t number) {
  const std::vector<std::string>&model = model_.log, &rtl = rtl_.log;
  for (std::size_t i = 0; i < std::min(model.size(), rtl.size()); i++) {
    if (model[i] == rtl[i]) continue;
    scoreboard_.add(
        {"both", number,
         fmt::format("software sees '{}' on the model, '{}' on the RTL", model[i], rtl[i]), ""});
    return;
  }
}

/// A pause stops and starts the counters in the middle of a job.
Comparison::Exact Comparison::exact_counters(const Batch& batch) {
  if (batch.pause_after != 0) return Exact::at_any_time;
  return batch.reset_after != 0 ? Exact::after_reset : Exact::between_jobs;
}

void Comparison::compare_counters(std::size_t number) {
  const Exact exact = exact_counters(batch_);
  for (const CounterInfo& counter : counter_table) {
    if (exact == Exact::at_any_time && !counter.exact_within_jobs) continue;
    // The RTL counts the beats of a transfer in flight one by one.
    const bool transfers =
        counter.value == &mxe_counters::bytes_read || counter.value == &mxe_counters::bytes_written;
    if (exact == Exact::after_reset && transfers) continue;
    const uint64_t model = model_.counters.*counter.value, rtl = rtl_.counters.*counter.value;
    if (model == rtl) continue;
    scoreboard_.add(
        {"both", number,
         fmt::format("counter {} is {} on the model, {} on the RTL", counter.name, model, rtl),
         ""});
  }
}

}  // namespace

double JobCycles::error() const {
  if (model == 0 || rtl == 0) return 0;
  return std::abs(static_cast<double>(model) - static_cast<double>(rtl)) / static_cast<double>(rtl);
}

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
    cycles_.push_back({job.describe(), cycles_of(model, i), cycles_of(rtl, i)});
    if (comparison) comparison->compare_times(i, cycles_.back(), jobs_);
  }
  for (EngineCheck& check : checks) check.check_registers();
  const bool comparable = comparison && all_alike;
  if (batch.is_disturbed()) {
    if (comparison) comparison->compare_faults(jobs_);
    if (!comparable || !has_comparable_times(batch)) return;
    comparison->compare_before_reset(jobs_);
    comparison->compare_counters(jobs_);
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
