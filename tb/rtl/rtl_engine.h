// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "model/engine/memory_port.h"
#include "model/platform/engine_module.h"
#include "model/platform/memory.h"
#include "tb/rtl/axi_checker.h"
#include "tb/rtl/axi_lite_checker.h"
#include "tb/rtl/axi_lite_master.h"
#include "tb/rtl/axi_memory.h"
#include "tb/rtl/rtl_top.h"

namespace mxe {

/// Watches the design's pins and states.
class RtlObserver {
 public:
  virtual ~RtlObserver() = default;
  /// A clock cycle has passed: its pins, and the design as it is after the clock edge.
  virtual void cycle(const RtlTop& top, const RtlInputs& in, const RtlOutputs& out) = 0;
};

/// How the RTL is run. The defaults serve normal runs.
struct RtlOptions {
  Clock clock;
  PortLimits ports;
  uint64_t back_pressure_seed = 0;  ///< other than 0: ready and valid hesitate at random
  /// FST file to write, *.fst, empty for none. If it cannot be written, there is none in the end.
  std::string waves;
  uint64_t hang_cycles = 1'000'000;  ///< an engine busy this long without bus transfers hangs
  /// Makes the design: the project's RTL, a version of it with a planted fault, or your own.
  std::function<std::unique_ptr<RtlTop>(const Params&, const std::string& waves)> make_top =
      make_rtl_top;
  /// Whether the design promises that write lanes without a strobe carry zero, as the project's RTL
  /// does. AXI4 does not require it.
  bool zero_masked_lanes = true;
  RtlObserver* observer = nullptr;  ///< must outlive the engine
  /// Whether the clock stops while the design has nothing to do, which changes no outcome.
  bool stop_clock = true;
};

/// The RTL as an engine on the platform.
///
/// One thread runs the design in batches of cycles. A batch ends before anything else can happen in
/// the simulation, so the result is that of a simulation cycle by cycle.
///
/// Idle time costs nothing, and nobody can tell: the clock stops some time after the last transfer
/// to or from memory, if the design has nothing to do; the counters that count every clock, TOTAL
/// and IDLE, then get what they missed. From then on a read of a register costs its own clocks, and
/// a write a few more, in which it takes effect; where an access concerns the registers alone, the
/// clock of the others is held still (RtlTop::hold). A design that does not show the state of its
/// command processor is asked for STATUS, some time after the last transfer on any bus and when no
/// access of software can come meanwhile; the clock of one that does not show its counters stops
/// only while CTRL.enable is clear.
///
/// A failing assertion, a breach of the AXI protocol and a hang are reported as SC_ERROR by the
/// id "/mxe/rtl".
class RtlEngine : public EngineModule {
 public:
  RtlEngine(const sc_core::sc_module_name& name, const Params& params,
            const RtlOptions& options = {});
  ~RtlEngine() override;

  /// Name of a counter among the signals of the design.
  static std::string counter_name(std::size_t index);
  /// Cycles without a transfer before a design that does not show its state is asked for it.
  static constexpr uint64_t kQuietCycles = 256;
  /// Cycles without work before the clock stops: more than the longest pipeline has stages.
  static constexpr uint64_t kIdleCycles = 64;
  /// Cycles after a write in which the design may begin to work.
  static constexpr uint64_t kSettlingCycles = 8;
  bool set_counters(const std::vector<uint64_t>& values) override;
  bool at_rest() const override;
  /// Clock cycles simulated so far.
  uint64_t cycles() const { return cycles_; }
  /// Those of them in which nothing but the registers and the counters had a clock.
  uint64_t held_cycles() const { return held_cycles_; }
  /// The registers inside the design that its build shows.
  RtlTop& top() const { return *top_; }

 private:
  bool read_at_rest(uint32_t address, uint32_t& value, uint64_t& cycle) override;
  bool transfer_register(RegisterTransfer& transfer) override;
  void access_memory(const AxiMemory::Request& request, AxiMemory::Response& response);
  void transport(const AxiMemory::Request& request, AxiMemory::Response& response);
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
  void memory_thread();
  uint64_t batch_limit(uint64_t start) const;
  uint64_t run_batch(uint64_t start, uint64_t limit);
  bool run_cycle(uint64_t cycle, uint64_t room);
  void start_register_transfer(uint64_t room);
  bool has_nothing_to_do() const;
  bool concerns_registers_alone(const RegisterTransfer& transfer) const;
  bool finish_register_transfer(uint64_t cycle);
  bool wants_status(uint64_t room) const;
  void watch_idleness(bool bus_busy);
  bool shows_idle() const;
  void rest();
  void start_clock(uint64_t cycle);
  void find_state();

  RtlOptions options_;
  std::unique_ptr<RtlTop> top_;
  // What is connected to the pins, made anew at a reset. A request keeps its memory.
  std::shared_ptr<AxiMemory> memory_;
  std::optional<AxiLiteMaster> registers_;
  std::optional<AxiChecker> checker_;
  std::optional<AxiLiteChecker> register_checker_;
  RtlInputs in_;
  RtlOutputs out_;
  uint64_t cycles_ = 0, held_cycles_ = 0;
  bool irq_level_ = false, held_ = false;

  RegisterTransfer* requested_ = nullptr;  // by software
  bool finished_ = false, ok_ = false;     // its outcome
  sc_core::sc_event wake_event_, done_event_, reset_event_;

  RegisterTransfer status_poll_;
  bool polling_ = false, enabled_ = false;
  std::optional<RtlSignal> state_;  // of the command processor, if it is shown
  uint64_t idle_state_ = 0;
  bool clock_stopped_ = true;
  uint64_t next_cycle_ = 0;           // of the clock, unless it stands still
  uint64_t stopped_in_ = 0;           // first cycle in which the clock stands still
  std::vector<RtlSignal> counters_;   // in the order of their registers; empty if not all are shown
  uint64_t quiet_cycles_ = 0;         // since the last transfer on any bus
  uint64_t idle_cycles_ = 0;          // since the design showed work, or its memory was busy
  uint64_t settled_cycles_ = 0;       // since the last write of a register
  uint64_t transferless_cycles_ = 0;  // the same, but polls do not count as transfers

  /// A request that memory_thread() carries out, since the memory may make its caller wait.
  struct MemoryAccess {
    AxiMemory::Request request;
    AxiMemory::Response* response;
    std::shared_ptr<AxiMemory> owner;  // of the data and the response
  };
  std::deque<MemoryAccess> accesses_;  // the first one is under way
  sc_core::sc_event access_event_;
  bool memory_is_prompt_ = false;  // it knows BurstExtension, and answers at once

  tlm::tlm_generic_payload payload_;
  BurstExtension burst_;
};

}  // namespace mxe
