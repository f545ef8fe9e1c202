// SPDX-License-Identifier: Apache-2.0
#include "model/platform/rtl/rtl_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/engine/timing/common/counters.h"
#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/platform/clock.h"
#include "model/platform/rtl/burst_calls.h"
#include "mxe_regs.h"

namespace mxe::rtl {
namespace {

constexpr unsigned kResetCycles = 4;
constexpr uint64_t kMaxBatch = 4096;
constexpr uint64_t kPollRoom = 16;

/// Returns the design's counters in register order; empty unless all are visible.
std::vector<RtlSignal> find_counters(const RtlTop& top) {
  const std::vector<RtlSignal> signals = top.signals();
  std::vector<RtlSignal> counters;
  for (std::size_t i = 0; i < kCounters; i++) {
    const std::string name = RtlEngine::counter_name(i);
    const auto found = std::find_if(signals.begin(), signals.end(),
                                    [&](const RtlSignal& s) { return s.name() == name; });
    if (found == signals.end()) return {};
    counters.push_back(*found);
  }
  return counters;
}

std::string waves_place(const std::string& path) {
  if (path.empty()) return path;
  numerics::require_extension(path, ".fst", "signals of the RTL are recorded as FST");
  return numerics::regular_place(path);
}

}  // namespace

RtlEngine::RtlEngine(const sc_core::sc_module_name& name, const Params& params,
                     const RtlOptions& options)
    : platform::EngineModule(name, params, options.clock),
      options_(options),
      top_(options.make_top(params, waves_place(options.waves))),
      counters_(find_counters(*top_)) {
  make_bursts();
  make_pins();
  status_poll_.address = MXE_REG_STATUS;
  find_state();
  SC_HAS_PROCESS(RtlEngine);
  SC_THREAD(thread);
  set_stack_size(platform::kThreadStackBytes);
}

void RtlEngine::make_bursts() {
  bursts_ = make_phases(options_.memory_calls, options_.payload_bytes);
  if (bursts_) return;
  bursts_ = std::make_unique<BurstCalls>(mem, options_.clock, params().mem_bytes(),
                                         options_.memory_calls == platform::MemoryCalls::blocking);
}

void RtlEngine::make_pins() {
  held_ = top_->hold(false);
  top_->reset(kResetCycles);
  in_ = {};
  engine::MemoryPort& memory = *this;
  memory_ = std::make_shared<AxiMemory>(params().mem_bytes(), options_.ports,
                                        options_.back_pressure_seed, memory);
  registers_.emplace(options_.back_pressure_seed);
  checker_.emplace(params().mem_bytes(), params().max_burst, options_.zero_masked_lanes);
  register_checker_.emplace();
}

std::string RtlEngine::counter_name(std::size_t index) {
  return fmt::format("u_counters.gen_counter[{}].value_q", index);
}

bool RtlEngine::set_counters(const std::vector<uint64_t>& values) {
  if (counters_.size() != values.size()) return false;
  for (std::size_t i = 0; i < values.size(); i++) counters_[i].set(values[i]);
  return true;
}

/// With random back-pressure the length of an access is unknown, so it cannot be served early.
bool RtlEngine::at_rest() const {
  return clock_stopped_ && has_nothing_to_do() && !requested_ && !must_reset() &&
         options_.back_pressure_seed == 0;
}

/// Runs the access immediately; the engine is idle, so the result is the same.
bool RtlEngine::read_at_rest(uint32_t address, uint32_t& value, uint64_t& cycle) {
  cycle = std::max(cycle, stopped_in_);
  harness::RegisterTransfer transfer;
  transfer.address = address;
  requested_ = &transfer;
  try {
    start_clock(cycle);
    while (!finished_) run_cycle(cycle++, 1);
  } catch (const Error& error) {
    SC_REPORT_ERROR("/mxe/rtl", error.what());
  }
  finished_ = false;
  requested_ = nullptr;
  value = transfer.data;
  return ok_;
}

bool RtlEngine::transfer_register(harness::RegisterTransfer& transfer) {
  while (requested_) wait(done_event_);
  if (in_reset()) return false;
  requested_ = &transfer;
  finished_ = false;
  wake_event_.notify();
  while (!finished_) wait(done_event_);
  finished_ = false;
  return ok_;
}

void RtlEngine::request(const engine::MemoryRequest& request, engine::Ticket& ticket) {
  bursts_->request({request, &ticket, memory_});
}

/// Gives a memory that responds without waiting, but does not declare so, the chance to respond.
void RtlEngine::give_memory_a_turn() {
  if (bursts_->is_idle()) return;
  wait(sc_core::SC_ZERO_TIME);
  platform::yield_to_others();
}

/// Drops all outstanding work. The clock is stopped while reset_n is low.
void RtlEngine::reset() {
  irq.write(false);
  make_pins();
  irq_level_ = enabled_ = polling_ = ok_ = false;
  quiet_cycles_ = idle_cycles_ = settled_cycles_ = transferless_cycles_ = 0;
  clock_stopped_ = true;
  stopped_in_ = 0;
  if (requested_) end_request();
  while (in_reset()) wait(wake_event_);
  reset_done();
}

void RtlEngine::end_request() {
  finished_ = true;
  requested_ = nullptr;
  done_event_.notify();
}

void RtlEngine::thread() {
  try {
    run();
  } catch (const Error& error) {
    SC_REPORT_ERROR("/mxe/rtl", error.what());
  }
}

void RtlEngine::run() {
  irq.write(false);
  for (;;) {
    while (clock_stopped_ && !requested_ && !must_reset()) wait(wake_event_);
    platform::yield_to_others();
    if (must_reset()) {
      reset();
      continue;
    }
    // A waiting memory may have advanced time beyond the cycles of the last batch.
    const uint64_t start = clock_stopped_ ? clock().now() : next_cycle_;
    if (clock_stopped_ && start < stopped_in_) {  // a read was served ahead of time
      wait(clock().until(stopped_in_), reset_event_);
      continue;
    }
    if (clock_stopped_) start_clock(start);
    next_cycle_ = start + run_batch(start, batch_limit(start));
    wait(clock().until(next_cycle_), reset_event_);
    if (must_reset()) continue;
    if (irq.read() != irq_level_) irq.write(irq_level_);
    if (finished_) end_request();
  }
}

uint64_t RtlEngine::batch_limit(uint64_t start) const {
  uint64_t until = horizon();
  if (!bursts_->is_idle()) until = std::min(until, next_activity());
  return std::clamp<uint64_t>(until - std::min(until, start), 1, kMaxBatch);
}

uint64_t RtlEngine::run_batch(uint64_t start, uint64_t limit) {
  for (uint64_t i = 0; i < limit; i++) {
    if (run_cycle(start + i, limit - i)) return i + 1;
    if (bursts_->is_idle()) continue;
    give_memory_a_turn();
    if (!bursts_->is_idle()) return i + 1;
  }
  return limit;
}

/// Runs one cycle, the first of `room` cycles without a register access except the requested one.
/// Returns true if the batch must end so that other processes can react.
bool RtlEngine::run_cycle(uint64_t cycle, uint64_t room) {
  start_register_transfer(room);
  registers_->drive(in_);
  memory_->drive(cycle, in_);
  top_->cycle(in_, out_);
  cycles_++;
  if (held_) held_cycles_++;
  if (options_.observer) options_.observer->cycle(*top_, in_, out_);
  checker_->check(cycle, in_, out_);
  register_checker_->check(cycle, in_, out_);
  const bool bus_busy = memory_->busy() || out_.m_arvalid || out_.m_awvalid || out_.m_wvalid;
  memory_->sample(cycle, in_, out_);
  const bool answered = registers_->sample(in_, out_);

  quiet_cycles_ = bus_busy || registers_->busy() ? 0 : quiet_cycles_ + 1;
  transferless_cycles_ = bus_busy || requested_ ? 0 : transferless_cycles_ + 1;
  if (state_) watch_idleness(bus_busy);

  const bool interrupt = out_.irq != irq_level_;
  irq_level_ = out_.irq;
  const bool finished = answered && finish_register_transfer(cycle);
  if (clock_stopped_) stopped_in_ = cycle + 1;
  return finished || interrupt || clock_stopped_;
}

void RtlEngine::start_register_transfer(uint64_t room) {
  if (registers_->busy()) return;
  if (requested_ && !finished_) {
    held_ = top_->hold(concerns_registers_alone(*requested_));
    registers_->start(*requested_);
  } else if (wants_status(room)) {
    polling_ = true;
    registers_->start(status_poll_);
  }
}

/// True if everything except the registers is idle and stays idle until the next write.
bool RtlEngine::has_nothing_to_do() const {
  return held_ || (idle_cycles_ >= kIdleCycles && settled_cycles_ > kSettlingCycles);
}

bool RtlEngine::concerns_registers_alone(const harness::RegisterTransfer& transfer) const {
  if (!options_.stop_clock || !has_nothing_to_do()) return false;
  return !transfer.write || transfer.address == MXE_REG_IRQ_STATUS ||
         transfer.address == MXE_REG_IRQ_MASK;
}

/// True if STATUS must be read: to detect a hang, or idleness of a design without a visible state.
bool RtlEngine::wants_status(uint64_t room) const {
  if (transferless_cycles_ >= options_.hang_cycles) return true;
  return !state_ && quiet_cycles_ >= kQuietCycles && room >= kPollRoom;
}

/// A read changes nothing, so the clock may stop with its response. Accesses with random delays use
/// random numbers in every cycle, so their count must not depend on the initiator.
void RtlEngine::watch_idleness(bool bus_busy) {
  const bool idle = shows_idle();
  const bool writes = registers_->busy() && requested_ && requested_->write;
  idle_cycles_ = bus_busy || !idle ? 0 : idle_cycles_ + 1;
  settled_cycles_ = writes ? 0 : settled_cycles_ + 1;
  const bool settled = options_.back_pressure_seed != 0
                           ? quiet_cycles_ >= kQuietCycles
                           : !registers_->busy() && settled_cycles_ > kSettlingCycles;
  if (idle_cycles_ >= kIdleCycles && settled) rest();
}

bool RtlEngine::shows_idle() const { return state_ && state_->value() == idle_state_; }

void RtlEngine::rest() {
  transferless_cycles_ = 0;
  clock_stopped_ = options_.stop_clock && (!enabled_ || !counters_.empty());
}

/// Handles the response of a register access. Returns true if the batch must end.
bool RtlEngine::finish_register_transfer(uint64_t cycle) {
  quiet_cycles_ = 0;
  if (!polling_) {
    ok_ = registers_->ok();
    if (ok_ && requested_->write && requested_->address == MXE_REG_CTRL) {
      enabled_ = (requested_->data & MXE_CTRL_ENABLE_MASK) != 0;
    }
    finished_ = true;
    return true;
  }
  polling_ = false;
  const uint32_t status = status_poll_.data;
  const bool busy = (status & (MXE_STATUS_BUSY_MASK | MXE_STATUS_RESETTING_MASK)) != 0;
  const bool waiting = enabled_ && (status & MXE_STATUS_EMPTY_MASK) == 0;
  if (!busy && !waiting) {
    rest();
  } else if (transferless_cycles_ >= options_.hang_cycles) {
    throw Error(fmt::format(
        "the RTL '{}' hangs: busy for {} cycles without a bus transfer (cycle {}, STATUS {:#x})",
        name(), options_.hang_cycles, cycle, status));
  }
  return clock_stopped_;
}

void RtlEngine::start_clock(uint64_t cycle) {
  clock_stopped_ = false;
  top_->go_on_at(kResetCycles + cycle);
  if (!enabled_) return;
  const uint64_t missed = cycle - stopped_in_;
  for (const Counter counter : {Counter::total, Counter::idle}) {
    const RtlSignal& signal = counters_[static_cast<std::size_t>(counter)];
    signal.set(signal.value() + missed);
  }
}

void RtlEngine::find_state() {
  for (const RtlSignal& signal : top_->signals()) {
    if (signal.name() != "u_cmd.state_q") continue;
    for (const auto& [value, name] : signal.value_names()) {
      if (name != "StIdle") continue;
      state_ = signal;
      idle_state_ = value;
    }
  }
}

}  // namespace mxe::rtl
