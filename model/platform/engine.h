// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
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
  Engine(const sc_core::sc_module_name& name, const engine::EngineConfig& config,
         const Clock& clock = {});
  Engine(const sc_core::sc_module_name& name, const Params& params)
      : Engine(name, engine::EngineConfig(params)) {}

  bool set_counters(const std::vector<uint64_t>& values) override;
  bool at_rest() const override;

  uint64_t skipped_cycles() const { return core().skipped_cycles(); }

 private:
  bool transfer_register(harness::RegisterTransfer& transfer) override;
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
  void serve_access();

  /// Only the engine's thread runs the core, because memories may wait. Others use bring_core_to().
  std::optional<harness::CoreHarness> harness_;  // recreated at a reset
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
