// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/control/cmd.h"

#include <algorithm>

#include "model/engine/memory/log2_ceil.h"
#include "mxe_regs.h"

namespace mxe::engine {
namespace {

constexpr unsigned kSlotBytesLog2 = 7;
/// Clocks from the end of a job to the request of its record that count for it (RecordClocks).
constexpr uint64_t kRecordClocks = 3;

// Names of the states in a trace, in their order.
constexpr const char* kStateNames[] = {"idle", "start", "run", "abort", "clear", "reset"};

}  // namespace

Cmd::Cmd(const Params& params, Datapath& datapath, TracePoint trace)
    : params_(params),
      datapath_(datapath),
      desc_(datapath.desc()),
      record_(datapath.record()),
      slots_(datapath.slots()),
      trace_(trace) {}

/// Moves to a state that begins in `cycle`.
void Cmd::enter(State state, uint64_t cycle) {
  if (state_ != State::idle) {
    trace_.slice(Track::queue, kStateNames[static_cast<std::size_t>(state_)], entered_cycle_, cycle,
                 {{"slot", slots_.run.index}});
  }
  state_ = state;
  entered_cycle_ = cycle;
}

void Cmd::set_enable(uint64_t cycle, bool enable) {
  const bool idle = state_ == State::idle && entered_cycle_ < cycle && !record_.waiting();
  if (enable && !enable_ && idle) counted_cycle_ = cycle - 1;
  enable_ = enable;
  enabled_cycle_ = cycle;
}

bool Cmd::doorbell(uint64_t cycle, uint16_t tail) {
  const unsigned entries = 1u << (ring_size_log2_ & 0xF);
  const auto queued = static_cast<uint16_t>(tail_ - head_);
  const auto pending = static_cast<uint16_t>(tail - head_);
  if (ring_size_log2_ > log2_ceil(params_.queue_depth) || resetting_) return false;
  if (pending > entries || pending < queued) return false;
  // A doorbell for further jobs does not change when the next one begins.
  if (desc_.next() == tail_) submitted_cycle_ = cycle + 1;
  tail_ = tail;
  return true;
}

void Cmd::soft_reset(uint64_t cycle) {
  if (!resetting_) reset_cycle_ = cycle + 1;
  resetting_ = true;
}

bool Cmd::busy() const {
  const bool waits = slots_.next().valid && enable_;
  return state_ != State::idle || record_.busy() || desc_.is_reading() || waits;
}

uint64_t Cmd::slot_address(uint16_t index) const {
  const unsigned entries = 1u << (ring_size_log2_ & 0xF);
  return ring_base_ + (uint64_t{index & (entries - 1)} << kSlotBytesLog2);
}

void Cmd::remember(const Fault& fault, uint16_t index) {
  fault_ = fault;
  fault_index_ = index;
  fault_open_ = true;
}

/// Stores the fault of a computed job, unless a later job has failed already.
void Cmd::remember_ended(const Fault& fault, uint16_t index) {
  const auto after = static_cast<uint16_t>(fault_index_ - index);
  const bool before = after != 0 && after <= kRecords;
  if (!fault_open_ || !before) remember(fault, index);
}

// ------------------------------------------------------------------------ when the next steps are

/// kNever if a soft reset waits in `cycle`, else `cycle`.
uint64_t Cmd::unless_reset(uint64_t cycle) const {
  return resetting_ && cycle >= reset_cycle_ ? kNever : cycle;
}

/// Cycle in which the running job is aborted; kNever if it is not.
uint64_t Cmd::abort_cycle() const {
  const uint64_t reset = resetting_ ? std::max(entered_cycle_, reset_cycle_) : kNever;
  return std::min({slots_.run.error.cycle, datapath_.write_error(), reset});
}

/// Cycle in which the fetch of the next descriptor begins.
uint64_t Cmd::descriptor_fetch_cycle() const {
  if (!enable_ || desc_.next() == tail_) return kNever;
  if (state_ != State::idle && state_ != State::start && state_ != State::run) return kNever;
  uint64_t cycle = desc_.begin_cycle();
  if (cycle == kNever) return kNever;
  cycle = std::max({cycle, fetch_allowed_cycle_, enabled_cycle_, submitted_cycle_});
  if (desc_.waits_for_turn()) {
    if (state_ != State::idle || slots_.wait.valid || record_.busy() || !desc_.is_empty())
      return kNever;
    cycle = std::max({cycle, entered_cycle_, slots_.wait.vacated_cycle + 1, record_.idle_cycle(),
                      desc_.empty_cycle()});
  }
  return unless_reset(cycle);
}

/// Cycle in which an idle command processor takes the job that waits, or the descriptor that is
/// ready.
uint64_t Cmd::next_job_cycle() const {
  if (!enable_ || state_ != State::idle) return kNever;
  uint64_t cycle = std::max(entered_cycle_, enabled_cycle_);
  if (!slots_.next().valid) return kNever;
  if (!slots_.wait.valid) {
    cycle = std::max({cycle, desc_.ready_cycle(), slots_.wait.vacated_cycle + 1});
    if (desc_.status() != MXE_STATUS_OK) {
      if (record_.busy()) return kNever;
      cycle = std::max(cycle, record_.idle_cycle());
    }
  }
  return slots_.early_error_cycle() > cycle ? unless_reset(cycle) : kNever;
}

/// Cycle in which the loaders start early with the job whose descriptor is ready.
uint64_t Cmd::early_load_cycle() const {
  if (state_ != State::run || !slots_.ahead.valid || !enable_) return kNever;
  if (desc_.status() != MXE_STATUS_OK || !slots_.ahead.descriptor.early) return kNever;
  if (slots_.wait.valid && !slots_.wait.loaded) return kNever;
  const uint64_t loads = datapath_.early_load_cycle();
  if (loads == kNever) return kNever;
  // The sizes of its loop nest are valid one cycle after the descriptor.
  const uint64_t cycle = std::max({entered_cycle_, desc_.ready_cycle() + 1, enabled_cycle_, loads});
  return cycle < std::min(run_state_cycle(), slots_.early_error_cycle()) ? unless_reset(cycle)
                                                                         : kNever;
}

/// Cycle in which the job whose descriptor is ready moves to the waiting slot: all its operands
/// have been requested.
uint64_t Cmd::wait_cycle() const {
  if (state_ != State::run || !slots_.ahead.loaded || slots_.wait.valid || !enable_) return kNever;
  const uint64_t loads = datapath_.loads_done_cycle();
  if (loads == kNever) return kNever;
  const uint64_t cycle =
      std::max({entered_cycle_, enabled_cycle_, loads, slots_.wait.vacated_cycle + 1});
  return cycle < std::min(run_state_cycle(), slots_.early_error_cycle()) ? unless_reset(cycle)
                                                                         : kNever;
}

/// True if the next job starts as soon as a job ends in `cycle`.
bool Cmd::may_take(uint64_t cycle) const {
  const bool ready = slots_.wait.valid || (slots_.ahead.valid && desc_.ready_cycle() <= cycle &&
                                           desc_.status() == MXE_STATUS_OK);
  return ready && enable_ && unless_reset(cycle) == cycle && slots_.early_error_cycle() > cycle;
}

uint64_t Cmd::idle_state_cycle() const {
  if (slots_.has_early_reads()) {
    const uint64_t reset = resetting_ ? std::max(entered_cycle_, reset_cycle_) : kNever;
    return std::min(
        {next_job_cycle(), std::max(entered_cycle_, slots_.early_error_cycle()), reset});
  }
  if (!resetting_ || record_.busy() || desc_.is_reading()) return next_job_cycle();
  const uint64_t reset =
      std::max({entered_cycle_, reset_cycle_, record_.idle_cycle(), desc_.ready_cycle()});
  return std::min(next_job_cycle(), reset);
}

/// Cycle in which the state machine sees that all results of the running job have been sent, and
/// that there is room for its record.
uint64_t Cmd::done_cycle() const {
  if (state_ != State::run || !datapath_.job_over()) return kNever;
  return std::max(datapath_.done_cycle(), record_.room_cycle());
}

uint64_t Cmd::run_state_cycle() const { return std::min(abort_cycle(), done_cycle()); }

/// Start cycle of the job that was taken. Without CONTROL.early its operands may be results of
/// earlier jobs, which must be acknowledged first.
uint64_t Cmd::start_cycle() const {
  const bool early = slots_.run.loaded || slots_.run.descriptor.early;
  return early ? entered_cycle_ : std::max(entered_cycle_, datapath_.results_answered_cycle());
}

/// First cycle in which nothing is under way and the earlier jobs are complete.
uint64_t Cmd::abort_end_cycle() const {
  if (record_.busy()) return kNever;
  return std::max({entered_cycle_, datapath_.drained_cycle(entered_cycle_), record_.idle_cycle()});
}

/// Last cycle in which new reads may be issued, or kNever if unknown.
uint64_t Cmd::last_request_cycle() const {
  if (state_ == State::start) return slots_.run.error.cycle;
  if (state_ != State::run) return kNever;
  // Early reads that returned an error are cancelled when the running job is done.
  const uint64_t done = done_cycle();
  return std::min(abort_cycle(), slots_.early_error_cycle() <= done ? done : kNever);
}

uint64_t Cmd::state_cycle() const {
  switch (state_) {
    case State::idle:
      return idle_state_cycle();
    case State::start:
      // Operands that were requested early are now those of this job.
      return std::min(start_cycle(), slots_.run.error.cycle);
    case State::run:
      return run_state_cycle();
    case State::abort:
      return abort_end_cycle();
    default:
      return entered_cycle_;
  }
}

/// Cycle of the next step of Record.
uint64_t Cmd::record_cycle() const {
  return std::min({record_.complete_cycle(), record_.error_cycle(), record_.end_cycle(),
                   record_.write_cycle()});
}

/// Cycle of the next step of all parts except the datapath.
uint64_t Cmd::other_cycle() const {
  return std::min({record_cycle(), desc_.fault_cycle(), desc_.last_word(), desc_.read_cycle(),
                   state_cycle(), descriptor_fetch_cycle(), early_load_cycle(), wait_cycle()});
}

/// True during an abort, in which the datapath only sends the row that it has begun, and issues
/// bursts.
bool Cmd::is_aborting() const {
  return state_ == State::abort || state_ == State::clear || state_ == State::reset;
}

/// Next event of the datapath.
uint64_t Cmd::datapath_cycle() const {
  return is_aborting() ? datapath_.ending_cycle() : datapath_.next_event();
}

uint64_t Cmd::next_cycle() const { return std::min(other_cycle(), datapath_cycle()); }

// ------------------------------------------------------------------------------------- the steps

Cmd::Events Cmd::step(uint64_t cycle, uint64_t limit) {
  if (record_.complete_cycle() == cycle) return complete();
  // A record being written does not delay the end of a job whose results have been sent.
  const bool done = done_cycle() == cycle && abort_cycle() > cycle;
  const bool datapath = datapath_cycle() == cycle;
  if (done && !datapath) {
    step_run(cycle);
  } else if (!done && record_cycle() == cycle) {
    step_record(cycle);
  } else if (desc_.fault_cycle() == cycle) {
    remember(desc_.report_fault(), head_);
  } else if (desc_.last_word() == cycle) {
    desc_.finish();
  } else if (desc_.read_cycle() == cycle) {
    desc_.read(cycle);
    slots_.ahead.valid = true;
    slots_.ahead.descriptor = desc_.descriptor();
    slots_.ahead.index = desc_.index();
  } else if (datapath) {
    step_datapath(limit, last_request_cycle());
  } else if (descriptor_fetch_cycle() == cycle) {
    begin_fetch(cycle);
  } else if (wait_cycle() == cycle) {
    advance(cycle, slots_.wait, slots_.ahead);
  } else if (early_load_cycle() == cycle) {
    datapath_.load_early(cycle);
  } else {
    step_state(cycle);
  }
  return {};
}

/// Carries out the next event of the datapath, and those after it if nothing else comes between.
void Cmd::step_datapath(uint64_t limit, uint64_t abort) {
  constexpr unsigned kMostSteps = 64;
  if (is_aborting()) return datapath_.step_ending();
  // A held record may be written as soon as the rows that it waits for are accepted.
  const uint64_t other = record_.is_held() ? datapath_.next_event() : other_cycle();
  for (unsigned steps = 1;; steps++) {
    datapath_.step(std::min(limit, other), abort);
    if (steps == kMostSteps || datapath_.concerns_others()) return;
    if (datapath_.oldest_burst_cycle() != kNever) return;  // the response may be needed first
    const uint64_t next = datapath_.next_event();
    if (next > limit || next >= other) return;
  }
}

void Cmd::begin_fetch(uint64_t cycle) {
  const bool first = state_ == State::idle && entered_cycle_ <= cycle && !slots_.wait.valid &&
                     slots_.wait.vacated_cycle < cycle && desc_.is_empty() &&
                     desc_.empty_cycle() <= cycle;
  const bool alone = first && !record_.busy() && record_.idle_cycle() <= cycle;
  // A job's cycles count from the end of the previous job, its own fetch or the enabling of the
  // engine, whichever was last.
  if (first && !record_.waiting() && record_.last_end() < cycle) {
    counted_cycle_ = cycle + 1 - kRecordClocks;
  }
  desc_.begin(cycle, slot_address(desc_.next()), alone);
  datapath_.look_again();
}

void Cmd::step_state(uint64_t cycle) {
  switch (state_) {
    case State::idle:
      step_idle(cycle);
      break;
    case State::start:
      // If the error arrives in the start cycle, the job counts as started and is aborted.
      if (start_cycle() == cycle) {
        datapath_.start(cycle);
        enter(State::run, cycle + 1);
      }
      if (slots_.run.error.cycle == cycle) abort_job(cycle);
      break;
    case State::run:
      step_run(cycle);
      break;
    case State::abort:
      step_abort(cycle);
      break;
    case State::clear:
      if (slots_.run.valid) end_job(cycle, slots_.run.error.status, slots_.run);
      for (Slot* slot : {&slots_.run, &slots_.wait, &slots_.ahead}) slot->drop_reads();
      fetch_allowed_cycle_ = cycle + 1;
      enter(State::idle, cycle + 1);
      break;
    case State::reset:
      desc_.reset();
      slots_.ahead.valid = slots_.wait.valid = false;
      slots_.wait.vacated_cycle = cycle;
      fetch_allowed_cycle_ = cycle + 1;
      enter(State::idle, cycle + 1);
      head_ = tail_ = 0;
      fault_open_ = resetting_ = false;
      break;
  }
}

void Cmd::step_idle(uint64_t cycle) {
  if (next_job_cycle() != cycle) {
    if (slots_.has_early_reads()) {
      cancel_early(cycle);
    } else {
      enter(State::reset, cycle + 1);
    }
  } else if (slots_.wait.valid || desc_.status() == MXE_STATUS_OK) {
    start_next(cycle);
  } else {
    end_job(cycle, desc_.status(), slots_.ahead);
    desc_.take(cycle);
  }
}

/// Moves the job in `from` to `to`; `cycle` is its last in `from`.
void Cmd::advance(uint64_t cycle, Slot& to, Slot& from) {
  to = from;
  from.valid = false;
  from.drop_reads();
  from.vacated_cycle = cycle;
  if (&from == &slots_.ahead) desc_.take(cycle);
}

/// The next job, which is legal, runs. StSetup comes before the start.
void Cmd::start_next(uint64_t cycle) {
  advance(cycle, slots_.run, slots_.next());
  enter(State::start, cycle + 2);
}

void Cmd::step_run(uint64_t cycle) {
  if (abort_cycle() == cycle) {
    abort_job(cycle);
    return;
  }
  end_job(cycle, MXE_STATUS_OK, slots_.run);
  datapath_.finish(cycle);
  enter(State::idle, cycle + 1);
  if (may_take(cycle)) {
    start_next(cycle);
  } else if (slots_.early_error_cycle() <= cycle) {
    cancel_early(cycle);
  }
}

/// Cancels the early reads of the next job. They are issued again after the running job has
/// completed.
void Cmd::cancel_early(uint64_t cycle) {
  datapath_.stop_requests();
  desc_.drop();
  enter(State::abort, cycle + 1);
}

void Cmd::abort_job(uint64_t cycle) {
  datapath_.stop_requests();
  Slot::Error& error = slots_.run.error;
  if (error.cycle != cycle) {
    const bool write = datapath_.write_error() == cycle;
    error = {write ? MXE_STATUS_ERR_WRITE : MXE_STATUS_ERR_ABORTED, cycle, datapath_.write_fault()};
  }
  if (error.status != MXE_STATUS_ERR_ABORTED) remember(error.fault, slots_.run.index);
  desc_.drop();
  if (state_ == State::run) datapath_.abort_job(cycle);
  enter(State::abort, cycle + 1);
}

/// StAbort ends: nothing is under way, and the jobs before are complete. Then StClear.
void Cmd::step_abort(uint64_t cycle) {
  datapath_.clear(cycle + 1);
  enter(State::clear, cycle + 1);
}

/// The job in `slot` ends with `status`.
void Cmd::end_job(uint64_t cycle, uint32_t status, Slot& slot) {
  slot.valid = false;
  Record::Job job;
  job.status = status;
  job.job_id = slot.descriptor.job_id;
  job.index = slot.index;
  if (status == MXE_STATUS_OK) job.results = datapath_.wr_port().result_answers();
  record_.push(cycle, job);
}

void Cmd::step_record(uint64_t cycle) {
  if (record_.error_cycle() == cycle) {
    const Record::Job& job = record_.fail();
    remember_ended(job.results->fault, job.index);
  } else if (record_.end_cycle() == cycle) {
    record_.end(cycle, cycle - counted_cycle_, slot_address(record_.ending_index()));
    counted_cycle_ = cycle;
  } else {
    const std::optional<uint64_t> written = record_.write();
    if (written) datapath_.count_written(*written, Record::kBytes);
    datapath_.look_again();
  }
}

Cmd::Events Cmd::complete() {
  const Record::Completed end = record_.complete();
  if (end.failed) remember_ended(end.fault, head_);
  if (fault_index_ == head_) fault_open_ = false;
  Events events;
  events.done = end.status == MXE_STATUS_OK;
  events.error = !events.done;
  head_++;
  events.queue_empty = empty();
  last_job_ = end.job_id;
  last_status_ = end.status;
  return events;
}

}  // namespace mxe::engine
