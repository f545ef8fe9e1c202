// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/timing/common/descriptor.h"
#include "model/engine/timing/common/trace.h"
#include "model/engine/timing/control/datapath.h"
#include "model/engine/timing/control/desc.h"
#include "model/engine/timing/control/record.h"
#include "model/engine/timing/control/slots.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Command processor (mxe_cmd): takes descriptors from the ring and runs them one after the other.
/// While a job runs, the next descriptors are read, the operands of up to two later jobs are
/// requested, and earlier jobs wait for the acknowledgement of their results and records. The slots
/// are those of the RTL, and the states those of its state machine; a state that lasts one cycle in
/// the RTL is one step here. Steps due in the same cycle are independent: each waits only for state
/// that was valid before that cycle.
class Cmd {
 public:
  /// Interrupt causes of one cycle (irq_*_o).
  struct Events {
    bool done = false, error = false, queue_empty = false;
  };

  Cmd(const Params& params, Datapath& datapath, TracePoint trace);

  // --- Registers. Each takes effect in `cycle`; all steps before it must have been carried out.
  void set_enable(uint64_t cycle, bool enable);
  void set_ring_base(uint64_t base) { ring_base_ = base; }
  void set_ring_size_log2(unsigned log2) { ring_size_log2_ = log2; }
  /// Returns false if the new tail is refused.
  bool doorbell(uint64_t cycle, uint16_t tail);
  void soft_reset(uint64_t cycle);

  uint16_t head() const { return head_; }
  uint16_t tail() const { return tail_; }
  uint32_t last_job() const { return last_job_; }
  uint32_t last_status() const { return last_status_; }
  /// The first bus error of the last job that met one, and the index of that job.
  const Fault& fault() const { return fault_; }
  uint16_t fault_index() const { return fault_index_; }
  bool busy() const;
  bool empty() const { return head_ == tail_; }
  bool resetting() const { return resetting_; }

  // --- Time.
  /// Cycle of the next step; kNever while nothing is to be done.
  uint64_t next_cycle() const;
  /// Carries out a step in `cycle`, which must be next_cycle(), and possibly later ones up to cycle
  /// `limit`. The effects of a step are visible in the next cycle. Repeated steps may be skipped up
  /// to cycle `limit` (Datapath::step).
  Events step(uint64_t cycle, uint64_t limit);

 private:
  enum class State : uint8_t { idle, start, run, abort, clear, reset };

  void enter(State state, uint64_t cycle);
  uint64_t slot_address(uint16_t index) const;
  uint64_t abort_cycle() const;
  uint64_t descriptor_fetch_cycle() const;
  uint64_t next_job_cycle() const;
  uint64_t early_load_cycle() const;
  uint64_t wait_cycle() const;
  uint64_t last_request_cycle() const;
  uint64_t state_cycle() const;
  uint64_t idle_state_cycle() const;
  uint64_t run_state_cycle() const;
  uint64_t done_cycle() const;
  uint64_t start_cycle() const;
  uint64_t abort_end_cycle() const;
  uint64_t record_cycle() const;
  uint64_t other_cycle() const;
  bool is_aborting() const;
  uint64_t datapath_cycle() const;
  bool may_take(uint64_t cycle) const;
  uint64_t unless_reset(uint64_t cycle) const;
  void remember(const Fault& fault, uint16_t index);
  void remember_ended(const Fault& fault, uint16_t index);
  void step_record(uint64_t cycle);
  void step_datapath(uint64_t limit, uint64_t abort);
  void begin_fetch(uint64_t cycle);
  void step_state(uint64_t cycle);
  void step_idle(uint64_t cycle);
  void step_run(uint64_t cycle);
  void step_abort(uint64_t cycle);
  void abort_job(uint64_t cycle);
  void cancel_early(uint64_t cycle);
  void end_job(uint64_t cycle, uint32_t status, Slot& slot);
  void advance(uint64_t cycle, Slot& to, Slot& from);
  void start_next(uint64_t cycle);
  Events complete();

  Params params_;
  Datapath& datapath_;
  Desc& desc_;
  Record& record_;
  Slots& slots_;
  TracePoint trace_;
  bool enable_ = false;
  uint64_t ring_base_ = 0;
  unsigned ring_size_log2_ = 0;
  uint16_t head_ = 0, tail_ = 0;
  uint32_t last_job_ = 0, last_status_ = 0;
  bool resetting_ = false;
  uint64_t reset_cycle_ = 0;

  State state_ = State::idle;
  uint64_t entered_cycle_ = 0;                        // first cycle of the state
  uint64_t enabled_cycle_ = 0, submitted_cycle_ = 0;  // last changes
  uint64_t counted_cycle_ = 0;        // the cycles of the next job to end count from here
  uint64_t fetch_allowed_cycle_ = 0;  // first cycle in which descriptors may be read
  Fault fault_;
  uint16_t fault_index_ = 0;
  bool fault_open_ = false;  // the job that met it is not complete
};

}  // namespace mxe::engine
