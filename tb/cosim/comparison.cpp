// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/params/hardware.h"

namespace mxe::cosim {
namespace {

/// Most cycles that software needs to handle the end of a job. Two jobs that end at about the same
/// time may be handled in one order on the model and in the other order on the RTL.
constexpr uint64_t kSoftwareCycles = 1000;

}  // namespace

double JobCycles::error() const {
  if (model == 0 || rtl == 0) return 0;
  return std::abs(static_cast<double>(model) - static_cast<double>(rtl)) / static_cast<double>(rtl);
}

Comparison::Comparison(const CoSimOptions& options, const Batch& batch, const BatchResult& model,
                       const BatchResult& rtl, Scoreboard& scoreboard)
    : options_(options),
      batch_(batch),
      model_(model),
      rtl_(rtl),
      scoreboard_(scoreboard),
      bound_(abort_bound(options.params)) {}

/// True if a bus error of an operand or a result aborted job i.
bool Comparison::is_aborted_by_bus(const std::vector<JobOutcome>& outcomes, std::size_t i) const {
  return i < outcomes.size() && outcomes[i].is_bus_error() &&
         std::any_of(batch_.faults.begin(), batch_.faults.end(),
                     [i](const BusFault& fault) { return fault.job == i && !fault.is_in_ring(); });
}

/// True if the cycles of job i contain an abort: that of the job, or the cancellation of early
/// reads because one of the next job failed.
bool Comparison::contains_abort(const std::vector<JobOutcome>& outcomes, std::size_t i) const {
  const bool next = is_aborted_by_bus(outcomes, i + 1) && outcomes[i + 1].result != MXE_ERR_WRITE;
  return outcomes[i].result == MXE_ERR_ABORTED || is_aborted_by_bus(outcomes, i) || next;
}

/// True if software acts while jobs run, so that an abort of other cycles changes later jobs.
bool Comparison::jobs_depend_on_software() const {
  return batch_.jobs.size() > options_.ring_entries || batch_.pause_after != 0;
}

void Comparison::note_abort(const JobCycles& cycles) {
  in_step_ &= cycles.difference() == 0;
  if (cycles.model != 0 && cycles.rtl != 0) aborts_.push_back(cycles);
}

/// Most cycles by which the end of a job may be seen earlier or later on the model. Software may
/// handle it together with that of a later job whose abort took other cycles.
uint64_t Comparison::allowed_delay() const {
  uint64_t aborts = 0;
  bool differ = false;
  for (std::size_t i = 0; i < model_.outcomes.size(); i++) {
    if (!contains_abort(model_.outcomes, i)) continue;
    aborts++;
    differ |= model_.outcomes[i].completion.cycles != rtl_.outcomes[i].completion.cycles;
  }
  return differ ? aborts * bound_ + kSoftwareCycles : 0;
}

/// Compares the memory of an aborted job: both engines must have written the same results.
void Comparison::compare_memory(std::size_t i, const std::vector<JobOutcome>& model,
                                const std::vector<JobOutcome>& rtl, std::size_t number) {
  if (model[i].memory == rtl[i].memory) return;
  scoreboard_.add({"both", number, "the aborted job has written other results on the RTL",
                   batch_.jobs[i].describe()});
}

bool Comparison::compare_times(std::size_t i, const JobCycles& cycles, std::size_t number) {
  if (options_.cycle_tolerance < 0) return true;
  if (!in_step_ && jobs_depend_on_software()) {
    states_differ_ = true;
    return false;
  }
  const bool aborts = contains_abort(model_.outcomes, i);
  if (aborts) note_abort(cycles);
  const JobCycles seen{"", model_.outcomes[i].seen_done, rtl_.outcomes[i].seen_done};
  const auto add = [&](const std::string& what) {
    scoreboard_.add({"both", number, what, cycles.job});
  };
  if (aborts) compare_memory(i, model_.outcomes, rtl_.outcomes, number);
  if (aborts ? cycles.difference() > bound_ : cycles.error() > options_.cycle_tolerance) {
    add(fmt::format("{} cycles on the model, {} on the RTL", cycles.model, cycles.rtl));
  } else if (options_.times_agree() && seen.difference() > allowed_delay()) {
    add(fmt::format("seen done after {} cycles on the model, {} on the RTL", seen.model, seen.rtl));
  }
  return !aborts;
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

/// The reset is in the same cycle on both engines, so it meets the same jobs in the same state,
/// unless an abort by a bus error took other cycles before.
void Comparison::compare_before_reset(std::size_t number) {
  in_step_ = true;
  for (std::size_t i = 0; i < model_.before_reset.size(); i++) {
    const JobOutcome &model = model_.before_reset[i], &rtl = rtl_.before_reset[i];
    const JobCycles cycles{batch_.jobs[i].describe(), model.completion.cycles,
                           rtl.completion.cycles};
    const bool equal = model.result == rtl.result && cycles.difference() == 0;
    if (!in_step_) {
      states_differ_ |= !equal;
      continue;
    }
    const bool aborts = model.result == rtl.result && contains_abort(model_.before_reset, i);
    if (aborts) {
      compare_memory(i, model_.before_reset, rtl_.before_reset, number);
      note_abort(cycles);
    }
    if (equal || (aborts && cycles.difference() <= bound_)) continue;
    scoreboard_.add({"both", number,
                     fmt::format("job {} before the reset: '{}' after {} cycles on the model, '{}' "
                                 "after {} on the RTL",
                                 i, mxe_strerror(model.result), cycles.model,
                                 mxe_strerror(rtl.result), cycles.rtl),
                     cycles.job});
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

/// A pause stops and starts the counters in the middle of a job. At a reset the RTL has counted the
/// beats of a transfer in flight one by one.
bool Comparison::is_compared(const CounterInfo& counter) const {
  const bool transfers =
      counter.value == &mxe_counters::bytes_read || counter.value == &mxe_counters::bytes_written;
  if (batch_.pause_after != 0) return counter.exact_within_jobs;
  return batch_.reset_after == 0 || !transfers;
}

/// During an abort the RTL still starts passes whose operands have arrived, and the model none.
Comparison::Allowed Comparison::allowed(const CounterInfo& counter) const {
  const uint64_t aborts = aborts_.size() + (batch_.reset_after != 0 ? 1 : 0);
  if (aborts == 0) return {};
  const Params& params = options_.params;
  const uint64_t delay = aborts * bound_ + kSoftwareCycles;
  const uint64_t buffered_words = 2u * params.b_banks * params.b_buf_k / kBlockSize;
  const Allowed passes{aborts * params.rows, aborts * buffered_words * params.rows};
  const auto is = [&](uint64_t mxe_counters::*value) { return counter.value == value; };
  if (is(&mxe_counters::total)) return {delay, delay};
  if (is(&mxe_counters::idle)) return {delay + passes.above, delay + passes.below};
  if (is(&mxe_counters::mac_active) || is(&mxe_counters::dual_cycles)) return passes;
  if (is(&mxe_counters::blocks)) {
    return {2 * params.num_pe * passes.below, 2 * params.num_pe * passes.above};
  }
  const uint64_t bytes = aborts * bound_ * params.mem_bytes();
  return is(&mxe_counters::bytes_read) ? Allowed{bytes, bytes} : Allowed{};
}

void Comparison::compare_counters(std::size_t number) {
  if (states_differ_) return;
  for (const CounterInfo& counter : counter_table) {
    if (!is_compared(counter)) continue;
    const uint64_t model = model_.counters.*counter.value, rtl = rtl_.counters.*counter.value;
    const Allowed allowed = this->allowed(counter);
    if (model <= rtl + allowed.below && rtl <= model + allowed.above) continue;
    scoreboard_.add(
        {"both", number,
         fmt::format("counter {} is {} on the model, {} on the RTL", counter.name, model, rtl),
         ""});
  }
}

}  // namespace mxe::cosim
