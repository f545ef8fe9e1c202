// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mxe_counter_table.h"
#include "tb/cosim/batch_run.h"
#include "tb/cosim/options.h"
#include "tb/cosim/scoreboard.h"

namespace mxe::cosim {

/// Cycles of one job on each engine; 0 if that engine does not run.
struct JobCycles {
  std::string job;
  uint64_t model = 0, rtl = 0;

  double error() const;
  uint64_t difference() const { return model < rtl ? rtl - model : model - rtl; }
};

/// Compares a batch on the model with the same batch on the RTL. Cycles and counters must be equal,
/// except for aborts: each may be up to abort_bound() cycles longer or shorter (docs/model.md).
class Comparison {
 public:
  Comparison(const CoSimOptions& options, const Batch& batch, const BatchResult& model,
             const BatchResult& rtl, Scoreboard& scoreboard);

  /// Call it for the jobs in their order. `number`: of the job since the start. Returns false if
  /// the job's cycles may differ because of an abort.
  bool compare_times(std::size_t i, const JobCycles& cycles, std::size_t number);
  void compare_faults(std::size_t number);
  void compare_before_reset(std::size_t number);
  void compare_logs(std::size_t number);
  /// Call it after all jobs have been compared.
  void compare_counters(std::size_t number);

  /// Cycles of the jobs with an abort, compared so far.
  const std::vector<JobCycles>& aborts() const { return aborts_; }

 private:
  /// By how much a counter of the RTL may be below, or above, that of the model.
  struct Allowed {
    uint64_t below = 0, above = 0;
  };

  bool is_aborted_by_bus(const std::vector<JobOutcome>& outcomes, std::size_t i) const;
  bool contains_abort(const std::vector<JobOutcome>& outcomes, std::size_t i) const;
  bool jobs_depend_on_software() const;
  void compare_memory(std::size_t i, const std::vector<JobOutcome>& model,
                      const std::vector<JobOutcome>& rtl, std::size_t number);
  void note_abort(const JobCycles& cycles);
  uint64_t allowed_delay() const;
  bool is_compared(const CounterInfo& counter) const;
  Allowed allowed(const CounterInfo& counter) const;

  const CoSimOptions& options_;
  const Batch& batch_;
  const BatchResult &model_, &rtl_;
  Scoreboard& scoreboard_;
  const uint64_t bound_;  // cycles
  std::vector<JobCycles> aborts_;
  bool in_step_ = true;         // every abort, after or before the reset, took equal cycles
  bool states_differ_ = false;  // when software acted (reset, pause, doorbell), after such an abort
};

}  // namespace mxe::cosim
