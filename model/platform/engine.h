// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/engine/timing/core.h"
#include "model/platform/block_object.h"
#include "model/platform/engine_module.h"
#include "model/platform/memory.h"

namespace mxe::platform {

struct EngineOptions {
  engine::Mode mode = engine::Mode::functional;
  Clock clock;
  engine::PortLimits ports;
  /// Computes the results (model/engine/arithmetic/arithmetic.h); empty for the reference. Other
  /// arithmetics receive their operands through the buffers, and no part of a job is skipped.
  engine::ArithmeticFactory arithmetic;
  /// Custom loaders (model/engine/timing/read_client.h); empty for those of the hardware.
  engine::LoaderFactory load_a, load_b;
  /// Observes the blocks of a structural arithmetic after each row (for example BlockWaves); may be
  /// null. Must outlive the engine.
  engine::BlockWatcher* watcher = nullptr;
  /// Skip repeated parts of a job without changing results (Datapath::step), or simulate every
  /// event.
  bool skip_repetitions = true;
  /// Receives the engine's events; may be null; must outlive the engine. Disables skipping.
  engine::Tracer* tracer = nullptr;
};

/// The model of the engine: results bit by bit and cycles of the RTL, computed by Core. It replaces
/// the RTL on the platform; register accesses and the interrupt take as long as at the RTL's pins.
/// The blocks of a structural arithmetic are its child objects (BlockObject).
class Engine : public EngineModule, private engine::MemoryPort {
 public:
  Engine(const sc_core::sc_module_name& name, const Params& params,
         const EngineOptions& options = {});
  ~Engine() override;

  bool set_counters(const std::vector<uint64_t>& values) override;
  bool at_rest() const override;

  /// Cycles skipped because they repeat simulated ones.
  uint64_t skipped_cycles() const { return core_->skipped_cycles(); }

 private:
  bool transfer_register(RegisterTransfer& transfer) override;
  bool carry_out(RegisterTransfer& transfer, uint64_t visible);
  bool peek_register(uint32_t address, uint32_t& value) const override;
  Response read(uint64_t cycle, uint64_t address, std::size_t bytes, uint8_t* data) override;
  Response write(uint64_t cycle, uint64_t address, std::size_t bytes, const uint8_t* data,
                 const uint8_t* enables) override;
  Response transport(tlm::tlm_command command, uint64_t cycle, uint64_t address, std::size_t bytes,
                     uint8_t* data, const uint8_t* enables);

  engine::DirectChannels channels() override;
  uint8_t* direct(uint64_t address, uint64_t bytes) override;
  void request_direct_access(uint64_t address);
  void end_direct_access(sc_dt::uint64 first, sc_dt::uint64 last) override;

  void reset_changed() override { wake_event_.notify(); }

  void make_core();
  void reset();
  void thread();
  void run_core();
  uint64_t bring_core_to_now();
  void bring_core_to(uint64_t cycle);
  void serve_access();

  /// Only the engine's thread runs the core, because the memory may call wait() in it. Other
  /// processes request a run with bring_core_to().
  std::optional<engine::Core> core_;  // recreated at a reset
  std::unique_ptr<BlockObject> array_, drain_;
  EngineOptions options_;
  engine::BeatSize beat_;
  bool skips_;
  sc_core::sc_event wake_event_, free_event_, there_event_;
  bool register_busy_ = false;
  bool core_waits_ = false;   // until a register access has been executed
  bool core_wanted_ = false;  // a register access waits until the core reaches wanted_cycle_
  uint64_t wanted_cycle_ = 0;
  uint64_t ran_to_ = 0;  // cycle reached by the core, may be ahead of the simulation
  /// Memory that is accessed without transactions.
  struct Direct {
    uint64_t begin = 0, size = 0;
    uint8_t* data = nullptr;
    engine::DirectChannels channels;

    bool covers(uint64_t address, uint64_t bytes) const {
      return address - begin < size && bytes <= size - (address - begin);
    }
  };
  Direct direct_;
  tlm::tlm_generic_payload payload_;
  BurstExtension burst_;
  std::vector<uint8_t> nothing_;  // placeholder for the data of bursts without data
};

}  // namespace mxe::platform
