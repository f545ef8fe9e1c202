// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "model/engine/memory/memory_port.h"
#include "model/platform/burst_port.h"
#include "model/platform/engine_module.h"
#include "model/platform/rtl/axi_checker.h"
#include "model/platform/rtl/axi_lite_checker.h"
#include "model/platform/rtl/axi_lite_master.h"
#include "model/platform/rtl/axi_memory.h"
#include "model/platform/rtl/rtl_top.h"

namespace mxe::rtl {

class RtlObserver {
 public:
  virtual ~RtlObserver() = default;
  /// Called after each cycle: the cycle's pins, and the design's state after the clock edge.
  virtual void cycle(const RtlTop& top, const RtlInputs& in, const RtlOutputs& out) = 0;
};

struct RtlOptions {
  platform::Clock clock;
  engine::PortLimits ports;
  uint64_t back_pressure_seed = 0;  ///< nonzero: random delays of ready and valid
  /// FST file to write, *.fst, empty for none. It is deleted if a write fails.
  std::string waves;
  uint64_t hang_cycles = 1'000'000;  ///< cycles without bus transfers after which a busy engine
                                     ///< counts as hanging
  /// Creates the design: the project's RTL, a copy with a planted fault, or another RTL.
  std::function<std::unique_ptr<RtlTop>(const Params&, const std::string& waves)> make_top =
      make_rtl_top;
  /// Check that write lanes without a strobe are zero, which AXI4 does not require.
  bool zero_masked_lanes = true;
  RtlObserver* observer = nullptr;  ///< must outlive the engine
  /// Stop the clock while the design is idle. Does not change results.
  bool stop_clock = true;
  platform::MemoryCalls memory_calls = platform::MemoryCalls::blocking;
  /// With non_blocking: bursts are split at multiples of this number of bytes, for memories that
  /// accept one access per payload, for example 64. 0: a payload is a whole burst.
  unsigned payload_bytes = 0;
};

/// The RTL as an engine on the platform. One thread runs the design in batches of cycles. A batch
/// ends before any other event, so the result equals a cycle-by-cycle simulation.
///
/// Idle time is skipped. The clock stops kIdleCycles after the last work; TOTAL and IDLE later
/// receive the missed cycles. A register read then runs only its own cycles, a write
/// kSettlingCycles more. An access that concerns only registers leaves the other blocks' clock
/// stopped (RtlTop::hold).
///
/// If the command processor's state is not visible, the engine polls STATUS after kQuietCycles
/// without a bus transfer, when no access is due. If the counters are not visible, the clock stops
/// only while CTRL.enable is 0.
///
/// Failed assertions, AXI violations and hangs are reported as SC_ERROR "/mxe/rtl".
class RtlEngine : public platform::EngineModule, private engine::MemoryPort {
 public:
  RtlEngine(const sc_core::sc_module_name& name, const Params& params,
            const RtlOptions& options = {});

  static std::string counter_name(std::size_t index);
  /// Cycles without a transfer before STATUS is polled, or, with random back-pressure, the clock
  /// stops.
  static constexpr uint64_t kQuietCycles = 256;
  /// Idle cycles before the clock stops; more than the longest pipeline.
  static constexpr uint64_t kIdleCycles = 64;
  /// Cycles after a register write in which the design may start to work.
  static constexpr uint64_t kSettlingCycles = 8;
  bool set_counters(const std::vector<uint64_t>& values) override;
  bool at_rest() const override;
  uint64_t cycles() const { return cycles_; }
  /// Cycles in which only the registers and counters were clocked.
  uint64_t held_cycles() const { return held_cycles_; }
  RtlTop& top() const { return *top_; }

 private:
  bool read_at_rest(uint32_t address, uint32_t& value, uint64_t& cycle) override;
  bool transfer_register(harness::RegisterTransfer& transfer) override;
  void request(const engine::MemoryRequest& request, engine::Ticket& ticket) override;
  void make_bursts();
  void give_memory_a_turn();
  void reset_changed() override {
    wake_event_.notify();
    reset_event_.notify();
  }
  void make_pins();
  void reset();
  void end_request();

  void thread();
  void run();
  uint64_t batch_limit(uint64_t start) const;
  uint64_t run_batch(uint64_t start, uint64_t limit);
  bool run_cycle(uint64_t cycle, uint64_t room);
  void start_register_transfer(uint64_t room);
  bool has_nothing_to_do() const;
  bool concerns_registers_alone(const harness::RegisterTransfer& transfer) const;
  bool finish_register_transfer(uint64_t cycle);
  bool wants_status(uint64_t room) const;
  void watch_idleness(bool bus_busy);
  bool shows_idle() const;
  void rest();
  void start_clock(uint64_t cycle);
  void find_state();

  RtlOptions options_;
  std::unique_ptr<RtlTop> top_;
  // Connected to the pins and recreated at reset. Each request owns a reference to its memory.
  std::shared_ptr<AxiMemory> memory_;
  std::optional<AxiLiteMaster> registers_;
  std::optional<AxiChecker> checker_;
  std::optional<AxiLiteChecker> register_checker_;
  RtlInputs in_;
  RtlOutputs out_;
  uint64_t cycles_ = 0, held_cycles_ = 0;
  bool irq_level_ = false, held_ = false;

  harness::RegisterTransfer* requested_ = nullptr;
  bool finished_ = false, ok_ = false;
  sc_core::sc_event wake_event_, done_event_, reset_event_;

  harness::RegisterTransfer status_poll_;
  bool polling_ = false, enabled_ = false;
  std::optional<RtlSignal> state_;  // of the command processor, if visible
  uint64_t idle_state_ = 0;
  bool clock_stopped_ = true;
  uint64_t next_cycle_ = 0;           // unless the clock is stopped
  uint64_t stopped_in_ = 0;           // first cycle with the clock stopped
  std::vector<RtlSignal> counters_;   // in register order; empty unless all are visible
  uint64_t quiet_cycles_ = 0;         // since the last transfer on any bus
  uint64_t idle_cycles_ = 0;          // since the design or its memory was last busy
  uint64_t settled_cycles_ = 0;       // since the last register write
  uint64_t transferless_cycles_ = 0;  // since the last transfer other than a poll
  std::unique_ptr<platform::BurstPort> bursts_;
};

}  // namespace mxe::rtl
