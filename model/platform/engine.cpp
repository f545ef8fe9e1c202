// SPDX-License-Identifier: Apache-2.0
#include "model/platform/engine.h"

#include <algorithm>
#include <cstring>

#include "model/platform/clock.h"

namespace mxe::platform {
namespace {

// A register access takes three cycles at the pins: accepted, executed, answered. A read returns
// the values at the end of the first cycle; a write is visible to the engine in the third.
constexpr uint64_t kAccessVisible = 2;
constexpr uint64_t kAccessAnswer = 1;  // additional cycles until the host has the response
// The host samples the interrupt pin one cycle later.
constexpr uint64_t kInterruptDelay = 1;
// Limits each run of the core, so that cycle counts do not overflow.
constexpr uint64_t kMaxBatch = uint64_t{1} << 40;

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
    : EngineModule(name, params, options.clock),
      options_(options),
      beat_(params.mem_bytes()),
      skips_(options.skip_repetitions && !options.tracer) {
  make_core();
  // A reset replaces the arithmetic, so the visitors look it up at each call.
  array_ = make_block_objects(
      "array", [this](blocks::BlockVisitor& v) { core_->arithmetic().visit_blocks(v); });
  drain_ = make_block_objects(
      "drain", [this](blocks::BlockVisitor& v) { core_->arithmetic().visit_drain(v); });
  burst_.beat_bytes = params.mem_bytes();
  burst_.clock = clock();
  payload_.set_extension(&burst_);
  SC_HAS_PROCESS(Engine);
  SC_THREAD(thread);
  set_stack_size(kThreadStackBytes);
}

void Engine::make_core() {
  engine::MemoryPort& memory = *this;
  core_.emplace(
      params(), options_.ports, memory, options_.mode, engine::TracePoint(options_.tracer),
      engine::EngineParts{options_.arithmetic, options_.load_a, options_.load_b, options_.watcher});
}

Engine::~Engine() { payload_.clear_extension(&burst_); }

bool Engine::set_counters(const std::vector<uint64_t>& values) {
  core_->set_counters(clock().now(), values);
  return true;
}

bool Engine::transfer_register(RegisterTransfer& transfer) {
  while (register_busy_) wait(free_event_);
  if (in_reset()) return false;
  const unsigned resets_before = resets();
  register_busy_ = core_waits_ = true;
  const uint64_t begin = bring_core_to_now();
  wait(clock().to_time(kAccessVisible));
  const bool ok = resets() == resets_before && carry_out(transfer, begin + kAccessVisible);
  core_waits_ = false;
  wake_event_.notify();
  wait(clock().to_time(kAccessAnswer));
  register_busy_ = false;
  free_event_.notify();
  return ok && resets() == resets_before;
}

/// Executes the access; a write is visible to the engine from cycle `visible` on.
bool Engine::carry_out(RegisterTransfer& transfer, uint64_t visible) {
  if (!transfer.write) return core_->read(transfer.address, transfer.data);
  const unsigned resets_before = resets();
  bring_core_to(visible - 1);
  if (resets() != resets_before) return false;
  return core_->write(visible, transfer.address, transfer.data, transfer.strobe);
}

/// Runs the core up to the current cycle and returns it. Time passes if the memory waits.
uint64_t Engine::bring_core_to_now() {
  for (;;) {
    if (ran_to_ > clock().now()) wait(clock().until(ran_to_));
    const uint64_t now = clock().now();
    bring_core_to(now);
    if (clock().now() == now) return now;
  }
}

void Engine::bring_core_to(uint64_t cycle) {
  wanted_cycle_ = cycle;
  core_wanted_ = true;
  wake_event_.notify();
  while (core_wanted_) wait(there_event_);
}

/// The engine thread's part of bring_core_to().
void Engine::serve_access() {
  if (!core_wanted_) return;
  core_->run_until(wanted_cycle_);
  core_wanted_ = false;
  there_event_.notify();
}

/// With a global quantum the core may already be ahead of the simulation.
bool Engine::at_rest() const {
  return !register_busy_ && !must_reset() && ran_to_ <= clock().now() &&
         core_->next_cycle() == kNever && core_->interrupts().empty();
}

bool Engine::peek_register(uint32_t address, uint32_t& value) const {
  return core_->read(address, value);
}

engine::MemoryPort::Response Engine::read(uint64_t cycle, uint64_t address, std::size_t bytes,
                                          uint8_t* data) {
  if (direct_.covers(address, bytes)) {
    if (data) std::memcpy(data, direct_.data + (address - direct_.begin), bytes);
    return {true, direct_.channels.read->serve(cycle, beat_.whole(bytes), beat_.bytes())};
  }
  return transport(tlm::TLM_READ_COMMAND, cycle, address, bytes, data, nullptr);
}

engine::MemoryPort::Response Engine::write(uint64_t cycle, uint64_t address, std::size_t bytes,
                                           const uint8_t* data, const uint8_t* enables) {
  if (direct_.covers(address, bytes)) {
    if (data) copy_enabled(direct_.data + (address - direct_.begin), data, enables, bytes);
    return {true, direct_.channels.write->serve_write(cycle, beat_.whole(bytes), beat_.bytes())};
  }
  return transport(tlm::TLM_WRITE_COMMAND, cycle, address, bytes, const_cast<uint8_t*>(data),
                   enables);
}

engine::MemoryPort::Response Engine::transport(tlm::tlm_command command, uint64_t cycle,
                                               uint64_t address, std::size_t bytes, uint8_t* data,
                                               const uint8_t* enables) {
  // A memory without BurstExtension needs a data pointer even if no data is transferred.
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
  burst_.issued = cycle;
  sc_core::sc_time delay = clock().until(cycle);
  send(payload_, delay);
  const Response response{payload_.is_response_ok(), times_of(payload_, burst_, cycle, delay)};
  if (payload_.is_dmi_allowed()) request_direct_access(address);
  return response;
}

/// Uses direct access only if the memory also provides its timing.
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

engine::DirectChannels Engine::channels() {
  return skips_ ? direct_.channels : engine::DirectChannels{};
}

uint8_t* Engine::direct(uint64_t address, uint64_t bytes) {
  const uint64_t first = address - beat_.offset(address);
  if (!direct_.covers(first, beat_.touched(address, bytes) * beat_.bytes())) return nullptr;
  return direct_.data + (address - direct_.begin);
}

void Engine::end_direct_access(sc_dt::uint64 first, sc_dt::uint64 last) {
  if (first <= direct_.begin + direct_.size && last >= direct_.begin) direct_ = {};
}

/// Drops all outstanding work. Waiting accesses resume and detect the reset.
void Engine::reset() {
  irq.write(false);
  core_wanted_ = false;
  there_event_.notify();
  while (in_reset()) wait(wake_event_);
  reset_done();
  make_core();
}

void Engine::thread() {
  irq.write(false);
  for (;;) {
    if (must_reset()) reset();
    serve_access();
    run_core();
    if (core_wanted_) continue;  // the memory let time pass meanwhile
    if (must_reset()) continue;
    auto& interrupts = core_->interrupts();
    if (!interrupts.empty()) {
      const uint64_t seen = interrupts.front().cycle + kInterruptDelay;
      if (seen > clock().now()) {
        wait(clock().until(seen), wake_event_);
        continue;
      }
      irq.write(interrupts.front().level);
      interrupts.pop_front();
      yield_to_others();  // software reacts before this thread computes its next limit
    } else if (core_waits_ || core_->next_cycle() == kNever) {
      wait(wake_event_);
    } else if (core_->next_cycle() > clock().now()) {  // otherwise the memory let time pass
      // Runs up to the horizon; an earlier access wakes this thread.
      const uint64_t until = ran_to_ > clock().now() ? ran_to_ : core_->next_cycle();
      wait(clock().until(until), wake_event_);
    }
  }
}

/// Runs the core up to the next cycle in which software can access a register. An access that
/// starts at the horizon takes effect two cycles later.
void Engine::run_core() {
  if (core_waits_) return;
  const uint64_t limit = std::min(horizon(), clock().now() + kMaxBatch);
  core_->run_to_interrupt(limit);
  const auto& interrupts = core_->interrupts();
  ran_to_ = interrupts.empty() ? limit : std::min(limit, interrupts.front().cycle);
}

}  // namespace mxe::platform
