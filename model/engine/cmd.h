// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/datapath.h"
#include "model/engine/descriptor.h"
#include "model/engine/trace.h"
#include "model/params/params.h"

namespace mxe {

/// Command processor (mxe_cmd): takes descriptors from the ring, checks them, runs them one after
/// the other, and completes each with a record in memory and an interrupt. The states are those of
/// the RTL's state machine; what the RTL does in a state for one cycle is one step here.
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
  bool busy() const { return state_ != State::idle; }
  bool empty() const { return head_ == tail_; }
  bool resetting() const { return resetting_; }

  // --- Time.
  /// Cycle of the next step; kNever while nothing is to be done.
  uint64_t next_step() const;
  /// Carries out the step of this cycle, which next_step() has named. Its effects are visible in
  /// the next cycle. Steps that repeat each other may be skipped up to cycle `limit`
  /// (Datapath::step).
  Events step(uint64_t cycle, uint64_t limit);

 private:
  enum class State : uint8_t { idle, fetch, check, start, run, abort, record, complete, reset };

  void enter(State state, uint64_t cycle);
  uint64_t slot_address() const;
  uint64_t abort_in() const;
  void remember(const Fault& fault);
  void step_idle(uint64_t cycle);
  void step_fetch(uint64_t cycle);
  void step_check(uint64_t cycle);
  void step_run(uint64_t cycle, uint64_t limit);
  void step_abort(uint64_t cycle);
  void step_record(uint64_t cycle);
  Events step_complete(uint64_t cycle);

  Params params_;
  Datapath& datapath_;
  TracePoint trace_;
  bool enable_ = false;
  uint64_t ring_base_ = 0;
  unsigned ring_size_log2_ = 0;
  uint16_t head_ = 0, tail_ = 0;
  uint32_t last_job_ = 0, last_status_ = 0;
  bool resetting_ = false;
  uint64_t reset_from_ = 0;

  State state_ = State::idle;
  uint64_t from_ = 0;          // first cycle of the state
  uint64_t idle_changed_ = 0;  // last change of what the idle state waits for
  uint64_t fetch_cycle_ = 0;   // the cycle in which cycles_q was 0
  DescriptorBytes bytes_{};
  Descriptor job_;
  uint32_t status_ = 0;
  Fault fault_;
  uint16_t fault_index_ = 0;
  bool no_record_ = false;  // the descriptor could not be read
};

}  // namespace mxe
