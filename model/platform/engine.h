// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/engine/core.h"
#include "model/platform/block_object.h"
#include "model/platform/engine_module.h"
#include "model/platform/memory.h"

namespace mxe {

/// How the model is run.
struct EngineOptions {
  Mode mode = Mode::functional;
  Clock clock;
  PortLimits ports;
  /// What computes the results (model/engine/arithmetic.h); empty for the reference. Anything else
  /// runs without shortcuts: operands pass through the buffers, and nothing is skipped.
  ArithmeticFactory arithmetic;
  /// Loaders of one's own (model/engine/read_client.h); empty for those of the hardware.
  LoaderFactory load_a, load_b;
  /// Sees the blocks of a structural arithmetic row by row (BlockWaves, for example); null for
  /// nobody. It must live as long as the engine.
  BlockWatcher* watcher = nullptr;
  /// Whether parts of a job that repeat each other may be skipped, which changes no outcome
  /// (Datapath::step). If false, every event is simulated.
  bool skip_repetitions = true;
  /// The tracer sees what the engine does; null for none. With a tracer every event is simulated.
  /// It must live as long as the engine.
  Tracer* tracer = nullptr;
};

/// The model of the engine: the results, bit by bit, and the cycles of the RTL, which Core
/// computes. It takes the RTL's place on the platform; register accesses and the interrupt take as
/// long as through the RTL's pins. The blocks of a structural arithmetic are SystemC objects below
/// it, `array.pe_3.scale_even`: see BlockObject.
class Engine : public EngineModule, private MemoryPort {
 public:
  Engine(const sc_core::sc_module_name& name, const Params& params,
         const EngineOptions& options = {});
  ~Engine() override;

  bool set_counters(const std::vector<uint64_t>& values) override;
  bool at_rest() const override;

  /// Clock cycles so far that were skipped, because they repeat simulated ones.
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

  DirectChannels channels() override;
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

  /// Only the engine's own process runs the core, because the memory may make the process wait that
  /// does. A process that accesses a register asks the engine's process to run it (bring_core_to).
  std::optional<Core> core_;  // made anew at a reset
  std::unique_ptr<BlockObject> array_, drain_;
  EngineOptions options_;
  BeatSize beat_;
  bool skips_;
  sc_core::sc_event wake_event_, free_event_, there_event_;
  bool register_busy_ = false;
  bool core_waits_ = false;   // until a register access was carried out in its turn
  bool core_wanted_ = false;  // a register access waits until the core has run to wanted_cycle_
  uint64_t wanted_cycle_ = 0;
  uint64_t ran_to_ = 0;  // the cycle up to which the core has run, ahead of the simulation
  /// A range of memory that is reached without transactions.
  struct Direct {
    uint64_t begin = 0, size = 0;
    uint8_t* data = nullptr;
    DirectChannels channels;

    bool covers(uint64_t address, uint64_t bytes) const {
      return address - begin < size && bytes <= size - (address - begin);
    }
  };
  Direct direct_;
  tlm::tlm_generic_payload payload_;
  BurstExtension burst_;
  std::vector<uint8_t> nothing_;  // stands in for the data of bursts without data
};

}  // namespace mxe
