// SPDX-License-Identifier: Apache-2.0
#include "model/platform/engine.h"

#include <algorithm>
#include <cstring>

#include "model/platform/clock.h"

namespace mxe {
namespace {

// On the pins, a register access is accepted in its first cycle, carried out in the second and
// answered in the third. A read returns the values at the end of the first cycle; a write is
// visible to the engine in the third.
constexpr uint64_t kAccessVisible = 2;
constexpr uint64_t kAccessAnswer = 1;  // more cycles until the host has the answer
// The host sees a change of the interrupt pin a cycle later.
constexpr uint64_t kInterruptDelay = 1;
// The most that the engine runs ahead at a time, so that times stay far from overflowing.
constexpr uint64_t kMaxBatch = uint64_t{1} << 40;

/// Whole cycles in `time`, rounded up.
uint64_t cycles_up(const sc_core::sc_time& time) {
  const uint64_t cycles = time_to_cycles(time);
  return cycles_to_time(cycles) < time ? cycles + 1 : cycles;
}

void copy_enabled(uint8_t* target, const uint8_t* source, const uint8_t* enables,
                  std::size_t bytes) {
  if (!enables) {
    std::memcpy(target, source, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes; i++) {
    if (enables[i]) target[i] = source[i];
  }
}

}  // namespace

Engine::Engine(const sc_core::sc_module_name& name, const Params& params,
               const EngineOptions& options)
    : EngineModule(name, params),
      core_(params, options.ports, *this, options.mode, TracePoint(options.tracer)),
      beat_bytes_(params.mem_bytes()),
      skips_(options.skip_repetitions && !options.tracer) {
  burst_.beat_bytes = params.mem_bytes();
  payload_.set_extension(&burst_);
  SC_HAS_PROCESS(Engine);
  SC_THREAD(thread);
  set_stack_size(kThreadStackBytes);
}

Engine::~Engine() { payload_.clear_extension(&burst_); }

bool Engine::set_counters(const std::vector<uint64_t>& values) {
  core_.set_counters(current_cycle(), values);
  return true;
}

bool Engine::transfer_register(RegisterTransfer& transfer) {
  while (register_busy_) wait(free_event_);
  register_busy_ = core_waits_ = true;
  core_.run_until(current_cycle());
  const uint64_t delay = core_.access_delay(current_cycle());
  if (delay != 0) wait(cycles_to_time(delay));
  const uint64_t begin = current_cycle();
  core_.run_until(begin);
  core_.start_access(begin);
  wait(cycles_to_time(kAccessVisible));
  bool ok = false;
  if (transfer.write) {
    const uint64_t visible = begin + kAccessVisible;
    core_.run_until(visible - 1);
    ok = core_.write(visible, transfer.address, transfer.data, transfer.strobe);
  } else {
    ok = core_.read(transfer.address, transfer.data);
  }
  core_waits_ = false;
  wake_event_.notify();
  wait(cycles_to_time(kAccessAnswer));
  register_busy_ = false;
  free_event_.notify();
  return ok;
}

bool Engine::peek_register(uint32_t address, uint32_t& value) const {
  return core_.read(address, value);
}

MemoryPort::Response Engine::read(uint64_t cycle, uint64_t address, std::size_t bytes,
                                  uint8_t* data) {
  if (direct_.covers(address, bytes)) {
    if (data) std::memcpy(data, direct_.data + (address - direct_.begin), bytes);
    return {true, direct_.channels.read->serve(cycle, bytes / beat_bytes_, beat_bytes_)};
  }
  return transport(tlm::TLM_READ_COMMAND, cycle, address, bytes, data, nullptr);
}

MemoryPort::Response Engine::write(uint64_t cycle, uint64_t address, std::size_t bytes,
                                   const uint8_t* data, const uint8_t* enables) {
  if (direct_.covers(address, bytes)) {
    if (data) copy_enabled(direct_.data + (address - direct_.begin), data, enables, bytes);
    return {true, direct_.channels.write->serve_write(cycle, bytes / beat_bytes_, beat_bytes_)};
  }
  return transport(tlm::TLM_WRITE_COMMAND, cycle, address, bytes, const_cast<uint8_t*>(data),
                   enables);
}

MemoryPort::Response Engine::transport(tlm::tlm_command command, uint64_t cycle, uint64_t address,
                                       std::size_t bytes, uint8_t* data, const uint8_t* enables) {
  // A memory that does not know the extension needs bytes to copy, even if they are not used.
  const bool timing_only = data == nullptr;
  if (timing_only && nothing_.size() < bytes) nothing_.resize(bytes);
  if (timing_only && command == tlm::TLM_WRITE_COMMAND) {
    std::fill(nothing_.begin(), nothing_.end(), TLM_BYTE_DISABLED);
    enables = nothing_.data();
  }
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(timing_only ? nothing_.data() : data);
  payload_.set_data_length(static_cast<unsigned>(bytes));
  payload_.set_streaming_width(static_cast<unsigned>(bytes));
  payload_.set_byte_enable_ptr(const_cast<uint8_t*>(enables));
  payload_.set_byte_enable_length(enables ? static_cast<unsigned>(bytes) : 0);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  burst_.timing_only = timing_only;
  burst_.timed = false;
  const uint64_t now = current_cycle();
  sc_core::sc_time delay = cycles_to_time(std::max(cycle, now) - now);
  mem->b_transport(payload_, delay);
  if (!burst_.timed) burst_.times = beats_until(current_cycle() + cycles_up(delay), bytes);
  const bool ok = payload_.is_response_ok();
  if (payload_.is_dmi_allowed()) request_direct_access(address);
  return {ok, burst_.times};
}

/// Times of the beats of a burst, one a cycle, of which the memory serves the last in `last`.
BeatTimes Engine::beats_until(uint64_t last, std::size_t bytes) const {
  const uint64_t before = bytes / beat_bytes_ - 1;
  return {(last - std::min(last, before)) << BeatTimes::kFraction,
          uint64_t{1} << BeatTimes::kFraction};
}

/// Direct access is used only where the memory also says how long its accesses take.
void Engine::request_direct_access(uint64_t address) {
  payload_.set_read();
  payload_.set_address(address);
  payload_.set_dmi_allowed(false);
  burst_.direct = {};
  tlm::tlm_dmi dmi;
  if (!mem->get_direct_mem_ptr(payload_, dmi)) return;
  if (!burst_.direct.read || !burst_.direct.write || !dmi.is_read_write_allowed()) return;
  direct_ = {dmi.get_start_address(), dmi.get_end_address() - dmi.get_start_address() + 1,
             dmi.get_dmi_ptr(), burst_.direct};
}

DirectChannels Engine::channels() { return skips_ ? direct_.channels : DirectChannels{}; }

uint8_t* Engine::direct(uint64_t address, uint64_t bytes) {
  // In whole beats, as bursts are.
  const uint64_t before = address % beat_bytes_;
  const uint64_t beats = (before + bytes + beat_bytes_ - 1) / beat_bytes_;
  if (!direct_.covers(address - before, beats * beat_bytes_)) return nullptr;
  return direct_.data + (address - direct_.begin);
}

void Engine::end_direct_access(sc_dt::uint64 first, sc_dt::uint64 last) {
  if (first <= direct_.begin + direct_.size && last >= direct_.begin) direct_ = {};
}

void Engine::thread() {
  irq.write(false);
  for (;;) {
    run_core();
    auto& interrupts = core_.interrupts();
    if (!interrupts.empty()) {
      const uint64_t seen = interrupts.front().cycle + kInterruptDelay;
      if (seen > current_cycle()) {
        wait(cycles_to_time(seen - current_cycle()), wake_event_);
        continue;
      }
      irq.write(interrupts.front().level);
      interrupts.pop_front();
      yield_to_others();  // software reacts before this thread asks how far it may go
    } else if (core_waits_ || core_.next_step() == kNever) {
      wait(wake_event_);
    } else {
      // Runs as far as software allows; an access that comes earlier wakes this thread.
      const uint64_t until = std::max(horizon(), current_cycle() + 1);
      wait(cycles_to_time(std::min(until - current_cycle(), kMaxBatch)), wake_event_);
    }
  }
}

/// Runs the core as far as software cannot interfere. An access that begins at the horizon takes
/// effect two cycles later.
void Engine::run_core() {
  if (core_waits_) return;
  core_.run_to_interrupt(std::min(horizon(), current_cycle() + kMaxBatch));
}

}  // namespace mxe
