// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "model/harness/register_access.h"
#include "model/params/params.h"
#include "model/platform/burst_phases.h"
#include "model/platform/clock.h"
#include "model/platform/tlm_memory_port.h"

namespace mxe::platform {

/// Waits until all processes that can run at this time have run, including those that they trigger,
/// but at most 8 delta cycles.
void yield_to_others();

/// The common interface of the model and the RTL.
///   regs     registers: 32-bit accesses within 4 KiB. The target may wait, and may return a delay,
///            which the initiator must wait for (Host does). The model supports transport_dbg
///   mem      data, descriptors and completion records: any TLM-2.0 memory. A memory that supports
///            BurstExtension returns the time of each beat; otherwise a burst ends after the
///            returned delay. A memory that waits receives one burst at a time from the model. With
///            MemoryCalls::non_blocking, bursts are phases of the base protocol (BurstPhases)
///   irq      level interrupt
///   reset_n  active low; if unbound, the engine is reset once at the start. While it is low,
///            registers respond with an error, also to accesses that it interrupts; outstanding
///            bursts end and their data is dropped
/// All events occur on the engine's clock edges; register accesses wait for the next edge.
class EngineModule : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<EngineModule> regs{"regs"};
  tlm_utils::simple_initiator_socket<EngineModule> mem{"mem"};
  sc_core::sc_out<bool> irq{"irq"};
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> reset_n{
      "reset_n"};

  EngineModule(const sc_core::sc_module_name& name, const Params& params, const Clock& clock = {});

  const Params& params() const { return params_; }
  const Clock& clock() const { return clock_; }

  /// Sets the counters in register order, for tests near 2^32. False if unsupported.
  virtual bool set_counters(const std::vector<uint64_t>& /*values*/) { return false; }

  /// Limits how far the engine may run ahead of the simulation: `horizon` returns the earliest
  /// cycle in which software can access a register, unless the interrupt changes before.
  void set_horizon(std::function<uint64_t()> horizon) { horizon_ = std::move(horizon); }

  /// True if no register changes until software writes one. A read is then answered at once with
  /// its duration as delay, if no other event occurs before.
  virtual bool at_rest() const { return false; }

 protected:
  /// The cycle up to which the engine may run ahead: that of set_horizon(), with a bound reset_n at
  /// most that of the next event. Without set_horizon(): that of the next event, or the present if
  /// none is pending. In any case at least by the global quantum of TLM-2.0 (default 0); effects of
  /// other modules are then seen later by up to the quantum.
  uint64_t horizon() const;
  uint64_t next_activity() const;
  /// True if reset_n is low or was low since the last reset_done().
  bool must_reset() const { return resets_ != resets_done_ || in_reset(); }
  bool in_reset() const { return reset_n.size() != 0 && !reset_n->read(); }
  void reset_done() { resets_done_ = resets_; }
  unsigned resets() const { return resets_; }
  virtual void reset_changed() {}

  /// Reads a register of an idle engine for an access that starts in `cycle`. Returns false for
  /// SLVERR, and the end cycle in `cycle`: by default kAccessCycles later.
  virtual bool read_at_rest(uint32_t address, uint32_t& value, uint64_t& cycle);
  /// Executes `transfer` and waits for the duration of the bus access. Returns false for SLVERR.
  virtual bool transfer_register(harness::RegisterTransfer& transfer) = 0;
  /// Reads a register without time or side effects, for debuggers. Returns false if unsupported.
  virtual bool peek_register(uint32_t /*address*/, uint32_t& /*value*/) const { return false; }
  TlmMemoryPort& memory_port() { return memory_port_; }
  /// With MemoryCalls::non_blocking the bursts of `mem`, else null. `responded` is called when a
  /// ticket is complete. Throws Error for `payload_bytes` that does not fit.
  std::unique_ptr<BurstPhases> make_phases(MemoryCalls calls, unsigned payload_bytes,
                                           std::function<void()> responded = {});

 private:
  tlm::tlm_sync_enum memory_phase(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay);
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool read_ahead(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug_transport(tlm::tlm_generic_payload& payload);
  void end_of_elaboration() override;
  void watch_reset();

  void end_direct_access(sc_dt::uint64 first, sc_dt::uint64 last) {
    memory_port_.end_direct_access(first, last);
  }

  Params params_;
  Clock clock_;
  TlmMemoryPort memory_port_;
  BurstPhases* phases_ = nullptr;  // of make_phases()
  unsigned resets_ = 0, resets_done_ = 0;
  std::function<uint64_t()> horizon_;
};

}  // namespace mxe::platform
