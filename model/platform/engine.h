// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "model/engine/timing/control/engine_config.h"
#include "model/harness/core_harness.h"
#include "model/platform/block_object.h"
#include "model/platform/engine_module.h"

namespace mxe::platform {

/// The model of the engine, computed by Core, with the results, cycles and access times of the RTL,
/// which it replaces. The blocks of a structural arithmetic are its child objects (BlockObject).
class Engine : public EngineModule {
 public:
  /// `calls` and `payload_bytes`: how bursts reach the memory, see BurstPhases. Nothing is skipped
  /// with MemoryCalls::non_blocking.
  Engine(const sc_core::sc_module_name& name, const engine::EngineConfig& config,
         const Clock& clock = {}, MemoryCalls calls = MemoryCalls::one_blocking,
         unsigned payload_bytes = 0);
  Engine(const sc_core::sc_module_name& name, const Params& params)
      : Engine(name, engine::EngineConfig(params)) {}
  ~Engine() override;

  bool set_counters(const std::vector<uint64_t>& values) override;
  bool at_rest() const override;

  uint64_t skipped_cycles() const { return core().skipped_cycles(); }

 private:
  bool transfer_register(harness::RegisterTransfer& transfer) override;
  class Phases;

  void let_core_run();
  bool peek_register(uint32_t address, uint32_t& value) const override;
  void reset_changed() override { wake_event_.notify(); }

  engine::Core& core() { return harness_->core(); }
  const engine::Core& core() const { return harness_->core(); }
  void make_core();
  void reset();
  void thread();
  void run_core();
  uint64_t bring_core_to_now();
  void bring_core_to(uint64_t cycle);
  bool serve_access();
  void take_responses();
  void wait_for_core();

  /// Only the engine's thread runs the core, because memories may wait. Others use bring_core_to().
  /// Recreated at a reset. Bursts that are outstanding with phases also own it.
  std::shared_ptr<harness::CoreHarness> harness_;
  std::unique_ptr<Phases> phases_;  // null with blocking calls
  bool has_responses_ = false;      // that the core has not taken
  std::unique_ptr<BlockObject> array_, drain_;
  engine::EngineConfig config_;
  sc_core::sc_event wake_event_, free_event_, there_event_;
  bool register_busy_ = false;
  bool core_waits_ = false;   // until a register access has been executed
  bool core_wanted_ = false;  // a register access waits until the core reaches wanted_cycle_
  uint64_t wanted_cycle_ = 0;
  uint64_t ran_to_ = 0;  // cycle reached by the core, maybe ahead of the simulation
};

}  // namespace mxe::platform
