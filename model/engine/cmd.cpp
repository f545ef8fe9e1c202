// SPDX-License-Identifier: Apache-2.0
#include "model/engine/cmd.h"

#include <algorithm>
#include <cstring>

#include "model/engine/log2_ceil.h"
#include "mxe_regs.h"

namespace mxe {
namespace {

constexpr unsigned kSlotBytesLog2 = 7;
constexpr uint32_t kRecordBytes = 16;
constexpr std::size_t kRecordCycles = 8;  // offset of the cycle count in the record

// What a trace calls the states, in their order.
constexpr const char* kStateNames[] = {"idle",  "fetch",  "check",    "start", "run",
                                       "abort", "record", "complete", "reset"};

}  // namespace

Cmd::Cmd(const Params& params, Datapath& datapath, TracePoint trace)
    : params_(params), datapath_(datapath), trace_(trace) {}

/// Moves to a state that begins in `cycle`.
void Cmd::enter(State state, uint64_t cycle) {
  if (state_ != State::idle) {
    trace_.slice(Track::queue, kStateNames[static_cast<std::size_t>(state_)], from_, cycle,
                 {{"slot", head_}});
  }
  state_ = state;
  from_ = cycle;
}

void Cmd::set_enable(uint64_t cycle, bool enable) {
  enable_ = enable;
  idle_changed_ = cycle;
}

bool Cmd::doorbell(uint64_t cycle, uint16_t tail) {
  const unsigned entries = 1u << (ring_size_log2_ & 0xF);
  const auto queued = static_cast<uint16_t>(tail_ - head_);
  const auto pending = static_cast<uint16_t>(tail - head_);
  if (ring_size_log2_ > log2_ceil(params_.queue_depth) || resetting_) return false;
  if (pending > entries || pending < queued) return false;
  // A doorbell for further jobs does not change when the next one begins.
  if (empty()) idle_changed_ = cycle + 1;
  tail_ = tail;
  return true;
}

void Cmd::soft_reset(uint64_t cycle) {
  resetting_ = true;
  reset_from_ = cycle + 1;
}

uint64_t Cmd::slot_address() const {
  const unsigned entries = 1u << (ring_size_log2_ & 0xF);
  return ring_base_ + (uint64_t{head_ & (entries - 1)} << kSlotBytesLog2);
}

/// Cycle in which the running job is broken off; kNever if it is not.
uint64_t Cmd::abort_in() const {
  const uint64_t reset = resetting_ ? std::max(from_, reset_from_) : kNever;
  return std::min({datapath_.read_error(), datapath_.write_error(), reset});
}

void Cmd::remember(const Fault& fault) {
  fault_ = fault;
  fault_index_ = head_;
}

uint64_t Cmd::next_step() const {
  switch (state_) {
    case State::idle: {
      const uint64_t reset = resetting_ ? std::max(from_, reset_from_) : kNever;
      const bool work = enable_ && !empty();
      return std::min(reset, work ? std::max(from_, idle_changed_) : kNever);
    }
    case State::run: {
      const uint64_t event = datapath_.next_event();
      return std::min(abort_in(), event == kNever ? datapath_.done_in() : event);
    }
    default:
      return from_;
  }
}

Cmd::Events Cmd::step(uint64_t cycle, uint64_t limit) {
  switch (state_) {
    case State::idle:
      step_idle(cycle);
      break;
    case State::fetch:
      step_fetch(cycle);
      break;
    case State::check:
      step_check(cycle);
      break;
    case State::start:
      datapath_.start(cycle, job_);
      enter(State::run, cycle + 1);
      break;
    case State::run:
      step_run(cycle, limit);
      break;
    case State::abort:
      step_abort(cycle);
      break;
    case State::record:
      step_record(cycle);
      break;
    case State::complete:
      return step_complete(cycle);
    case State::reset:
      enter(State::idle, cycle + 1);
      head_ = tail_ = 0;
      resetting_ = false;
      break;
  }
  return {};
}

void Cmd::step_idle(uint64_t cycle) {
  if (resetting_ && cycle >= reset_from_) {
    enter(State::reset, cycle + 1);
    return;
  }
  no_record_ = false;
  fetch_cycle_ = cycle + 1;
  enter(State::fetch, cycle + 1);
}

/// StFetch and StDesc: asks for the descriptor, until its last word or an error arrives.
void Cmd::step_fetch(uint64_t cycle) {
  datapath_.clear_errors();
  const auto arrival = datapath_.fetch_descriptor(cycle, slot_address(), bytes_);
  if (arrival.error) {
    status_ = MXE_STATUS_ERR_FETCH;
    remember(arrival.fault);
    no_record_ = true;
    enter(State::abort, arrival.cycle + 1);
  } else {
    job_ = parse_descriptor(bytes_);
    enter(State::check, arrival.cycle + 1);
  }
}

void Cmd::step_check(uint64_t cycle) {
  status_ = check_descriptor(bytes_, params_);
  if (status_ == MXE_STATUS_OK) {
    enter(State::start, cycle + 2);  // StSetup lies between
  } else {
    enter(State::record, cycle + 1);
  }
}

void Cmd::step_run(uint64_t cycle, uint64_t limit) {
  const uint64_t abort = abort_in(), event = datapath_.next_event();
  if (abort == cycle && event > cycle) {
    status_ = datapath_.read_error() == cycle    ? MXE_STATUS_ERR_READ
              : datapath_.write_error() == cycle ? MXE_STATUS_ERR_WRITE
                                                 : MXE_STATUS_ERR_ABORTED;
    if (status_ == MXE_STATUS_ERR_READ) remember(datapath_.read_fault());
    if (status_ == MXE_STATUS_ERR_WRITE) remember(datapath_.wr_port().fault());
    datapath_.break_off(cycle);
    enter(State::abort, cycle + 1);
  } else if (event == kNever) {
    datapath_.finish(cycle);
    enter(State::record, cycle + 1);
  } else {
    datapath_.step(limit, abort);
  }
}

/// StAbort until nothing is under way, then StClear.
void Cmd::step_abort(uint64_t cycle) {
  const uint64_t clear = datapath_.drained_from(cycle) + 1;
  datapath_.clear(clear);
  enter(no_record_ ? State::complete : State::record, clear + 1);
}

/// StRecord, StRecData and StRecWait: the completion record is written and acknowledged.
void Cmd::step_record(uint64_t cycle) {
  std::array<uint8_t, kRecordBytes> record{};
  std::memcpy(record.data(), &status_, 4);
  std::memcpy(record.data() + 4, bytes_.data() + MXE_DESC_JOB_ID, 4);
  WrPort& port = datapath_.wr_port();
  port.clear_error();
  const uint64_t accepted = std::max(cycle, port.ready_from());
  port.accept(accepted, slot_address() + MXE_DESC_STATUS, kRecordBytes, record.data(),
              MXE_FAULT_RECORD);
  // Each segment shows the cycle count of the cycle in which it is taken.
  uint64_t offered = accepted + 1;
  for (uint32_t offset = 0; offset < kRecordBytes; offset += port.segment_bytes()) {
    const uint64_t cycles = port.take_cycle(offered) - fetch_cycle_;
    uint8_t cycle_bytes[8];
    std::memcpy(cycle_bytes, &cycles, 8);
    for (std::size_t i = std::max<std::size_t>(offset, kRecordCycles);
         i < std::min<std::size_t>(offset + port.segment_bytes(), kRecordBytes); i++) {
      port.patch(i, &cycle_bytes[i - kRecordCycles], 1);
    }
    offered = port.take(offered) + 1;
  }
  datapath_.count_written(offered, kRecordBytes);
  if (port.error() != kNever) {
    if (status_ != MXE_STATUS_ERR_READ && status_ != MXE_STATUS_ERR_WRITE) remember(port.fault());
    status_ = MXE_STATUS_ERR_WRITE;
  }
  port.clear_error();
  enter(State::complete, std::max(offered, port.idle_from()) + 1);
}

Cmd::Events Cmd::step_complete(uint64_t cycle) {
  enter(State::idle, cycle + 1);
  Events events;
  events.done = status_ == MXE_STATUS_OK;
  events.error = !events.done;
  head_++;
  events.queue_empty = empty();
  last_job_ = no_record_ ? 0 : job_.job_id;
  last_status_ = status_;
  return events;
}

}  // namespace mxe
