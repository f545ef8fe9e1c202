// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
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
  PortLimits ports;
  uint64_t back_pressure_seed = 0;   ///< other than 0: ready and valid hesitate at random
  std::string waves;                 ///< FST file to write, empty for none
  uint64_t hang_cycles = 1'000'000;  ///< an engine busy this long without bus transfers hangs
  /// Makes the design: the project's RTL, a version of it with a planted fault, or your own.
  std::function<std::unique_ptr<RtlTop>(const Params&, const std::string& waves)> make_top =
      make_rtl_top;
  RtlObserver* observer = nullptr;  ///< must outlive the engine
};

/// The RTL as an engine on the platform.
///
/// One thread runs the design in batches of cycles. A batch ends before anything else can happen in
/// the simulation, so the result is that of a simulation cycle by cycle. The clock stops while the
/// design has nothing to do (kQuietCycles).
///
/// A failing assertion, a breach of the AXI protocol or a hang ends the simulation with mx::Error.
class RtlEngine : public EngineModule {
 public:
  RtlEngine(const sc_core::sc_module_name& name, const Params& params,
            const RtlOptions& options = {});
  ~RtlEngine() override;

  /// Name of a counter among the signals of the design.
  static std::string counter_name(std::size_t index);
  bool set_counters(const std::vector<uint64_t>& values) override;
  /// Clock cycles simulated so far.
  uint64_t cycles() const { return cycles_; }
  /// The registers inside the design that its build shows.
  RtlTop& top() const { return *top_; }

 private:
  bool transfer_register(RegisterTransfer& transfer) override;
  AxiMemory::Response access_memory(const AxiMemory::Request& request);

  void thread();
  uint64_t batch_limit() const;
  uint64_t run_batch(uint64_t start, uint64_t limit);
  bool run_cycle(uint64_t cycle);
  void start_register_transfer();
  bool finish_register_transfer();
  void watch_for_hang(uint64_t cycle) const;

  RtlOptions options_;
  std::unique_ptr<RtlTop> top_;
  AxiMemory memory_;
  AxiLiteMaster registers_;
  AxiChecker checker_;
  AxiLiteChecker register_checker_;
  RtlInputs in_;
  RtlOutputs out_;
  uint64_t cycles_ = 0;
  bool irq_level_ = false;

  RegisterTransfer* requested_ = nullptr;  // by software
  bool finished_ = false, ok_ = false;     // its outcome
  sc_core::sc_event wake_event_, done_event_;

  RegisterTransfer status_poll_;
  bool polling_ = false, enabled_ = false;
  bool clock_stopped_ = true;
  uint64_t quiet_cycles_ = 0;         // since the last transfer on any bus
  uint64_t transferless_cycles_ = 0;  // the same, but polls do not count as transfers

  tlm::tlm_generic_payload payload_;
  BurstExtension burst_;
};

}  // namespace mxe
