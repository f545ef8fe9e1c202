// SPDX-License-Identifier: Apache-2.0
#include "model/platform/engine.h"

#include <algorithm>
#include <utility>

#include "model/platform/clock.h"

namespace mxe::platform {

/// The memory as the core sees it, with non-blocking calls.
class Engine::Phases : public engine::MemoryPort {
 public:
  Phases(Engine& engine, std::unique_ptr<BurstPhases> bursts)
      : engine_(engine), bursts_(std::move(bursts)) {}

  void request(const engine::MemoryRequest& request, engine::Ticket& ticket) override {
    bursts_->request({request, &ticket, engine_.harness_});
  }

 private:
  Engine& engine_;
  std::unique_ptr<BurstPhases> bursts_;
};

Engine::Engine(const sc_core::sc_module_name& name, const engine::EngineConfig& config,
               const Clock& clock, MemoryCalls calls, unsigned payload_bytes)
    : EngineModule(name, config.params, clock), config_(config) {
  const auto responded = [this] {
    has_responses_ = true;
    wake_event_.notify();
  };
  if (auto bursts = make_phases(calls, payload_bytes, responded)) {
    phases_ = std::make_unique<Phases>(*this, std::move(bursts));
  } else {
    memory_port().use_direct_access(config.skips());
  }
  make_core();
  // A reset replaces the arithmetic, so the visitors read it at each call.
  array_ = make_block_objects(
      "array", [this](blocks::BlockVisitor& v) { core().arithmetic().visit_blocks(v); });
  drain_ = make_block_objects(
      "drain", [this](blocks::BlockVisitor& v) { core().arithmetic().visit_drain(v); });
  SC_HAS_PROCESS(Engine);
  SC_THREAD(thread);
  set_stack_size(kThreadStackBytes);
}

Engine::~Engine() = default;

void Engine::make_core() {
  engine::MemoryPort& memory = phases_ ? static_cast<engine::MemoryPort&>(*phases_) : memory_port();
  harness_ = std::make_shared<harness::CoreHarness>(config_, memory);
  has_responses_ = false;
}

bool Engine::set_counters(const std::vector<uint64_t>& values) {
  core().set_counters(clock().now(), values);
  return true;
}

bool Engine::transfer_register(harness::RegisterTransfer& transfer) {
  while (register_busy_) wait(free_event_);
  if (in_reset()) return false;
  const unsigned resets_before = resets();
  register_busy_ = core_waits_ = true;
  const uint64_t start = bring_core_to_now();
  bool ok = resets() == resets_before;
  // The core reaches the access at once: bursts that are issued meanwhile must not be late.
  if (ok && transfer.write) bring_core_to(harness::CoreHarness::access_needs(transfer, start));
  if (ok && !transfer.write) {
    ok = harness_->access(transfer, start);
    let_core_run();
  }
  wait(clock().until(start + harness::kWriteVisible));
  ok = ok && resets() == resets_before && (!transfer.write || harness_->access(transfer, start));
  let_core_run();
  wait(clock().to_time(harness::kAccessCycles - harness::kWriteVisible));
  register_busy_ = false;
  free_event_.notify();
  return ok && resets() == resets_before;
}

void Engine::let_core_run() {
  core_waits_ = false;
  wake_event_.notify();
}

/// Runs the core up to the current cycle and returns it; a waiting memory lets time pass.
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

/// Part of bring_core_to() in the engine's thread. Returns false if the core must wait for time to
/// pass, or for the memory.
bool Engine::serve_access() {
  if (!core_wanted_) return true;
  core().run_until(wanted_cycle_);
  if (core().reach(wanted_cycle_) < wanted_cycle_) return false;
  core_wanted_ = false;
  there_event_.notify();
  return true;
}

/// Waits until the core can continue towards wanted_cycle_.
void Engine::wait_for_core() {
  const uint64_t next = std::min(core().next_cycle(), wanted_cycle_);
  wait(clock().until(std::max(next, clock().now() + 1)), wake_event_);
}

/// With a global quantum the core may already be ahead of the simulation.
bool Engine::at_rest() const {
  return !register_busy_ && !must_reset() && ran_to_ <= clock().now() && harness_->is_at_rest();
}

bool Engine::peek_register(uint32_t address, uint32_t& value) const {
  return core().read(address, value);
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
    take_responses();
    if (!serve_access()) {
      wait_for_core();
      continue;
    }
    run_core();
    if (core_wanted_) continue;  // the memory let time pass meanwhile
    if (must_reset()) continue;
    const uint64_t seen = harness_->interrupt_cycle();
    if (seen != kNever) {
      if (seen > clock().now()) {
        wait(clock().until(seen), wake_event_);
        continue;
      }
      irq.write(harness_->take_interrupt());
      yield_to_others();  // software reacts before this thread computes its next limit
    } else if (core_waits_ || core().next_cycle() == kNever) {
      wait(wake_event_);
    } else if (core().next_cycle() > clock().now()) {  // otherwise the memory let time pass
      // Runs up to the horizon; an earlier access wakes this thread.
      const uint64_t until = ran_to_ > clock().now() ? ran_to_ : core().next_cycle();
      wait(clock().until(until), wake_event_);
    }
  }
}

/// Passes the responses of the memory and the present to the core. Other processes respond first.
void Engine::take_responses() {
  if (!phases_) return;
  yield_to_others();
  core().set_present(clock().now());
  if (!has_responses_) return;
  has_responses_ = false;
  core().take_responses();
}

/// Runs the core up to the horizon. A register write that starts there takes effect two cycles
/// later.
void Engine::run_core() {
  if (core_waits_) return;
  ran_to_ = harness_->run(clock().now(), horizon());
}

}  // namespace mxe::platform
