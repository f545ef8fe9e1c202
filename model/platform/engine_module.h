// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "model/params/params.h"
#include "model/platform/clock.h"
#include "model/platform/memory.h"

namespace mxe {

/// One access to the 4 KiB register window, as AXI4-Lite carries it.
struct RegisterTransfer {
  bool write = false;
  uint32_t address = 0;  ///< byte offset in the window
  uint32_t data = 0;     ///< in for a write, out for a read
  uint8_t strobe = 0xF;  ///< byte lanes of a write
};

/// Waits until all other processes have run that can run at this instant, those included that they
/// wake by events and signals.
void yield_to_others();

/// The interface that the model and the RTL share. Nothing above it can tell which of them it
/// drives.
///   regs  registers, 32-bit accesses within 4 KiB. The target may wait, and may return a delay,
///         which the initiator has to wait for (Host does); transport_dbg reads them on the model
///   mem   data, descriptors and completions: any TLM-2.0 memory; one that fills in BurstExtension
///         says when each beat is served; for others a burst ends after the delay that they return.
///         One that waits gets one burst at a time
///   irq   level interrupt
///   reset_n  active low; may be left open, the engine is reset once then, at the start. While it
///   is
///         low, and for an access that it cuts short, registers answer with an error; bursts under
///         way end, and what they bring is dropped
/// Everything happens on the edges of the engine's clock; a register access that comes in between
/// waits for the next one.
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

  /// Sets the performance counters, in the order of their registers. This is for tests, since no
  /// test has the time to count to 2^32. Returns false if the engine does not allow it.
  virtual bool set_counters(const std::vector<uint64_t>& /*values*/) { return false; }

  /// Tells the engine how far it may run ahead of the simulation: `horizon` returns the earliest
  /// clock cycle in which software can access a register, unless the interrupt changes before.
  void set_horizon(std::function<uint64_t()> horizon) { horizon_ = std::move(horizon); }

  /// Whether no register changes unless software writes one. A read is then answered at once, with
  /// its time as the delay, if nothing else happens before.
  virtual bool at_rest() const { return false; }

 protected:
  /// How far the engine may run ahead: to the cycle that the function of set_horizon() returns;
  /// without one, to that of the next event in the simulation, and not at all if there is none. In
  /// any case by the global quantum of TLM-2.0, which is zero unless somebody sets it: what others
  /// do is then seen as much later.
  uint64_t horizon() const;
  /// The cycle of the next event in the simulation.
  uint64_t next_activity() const;
  /// Whether reset_n is low, or was since the last call of reset_done().
  bool must_reset() const { return resets_ != resets_done_ || in_reset(); }
  bool in_reset() const { return reset_n.size() != 0 && !reset_n->read(); }
  void reset_done() { resets_done_ = resets_; }
  /// How often reset_n went low so far.
  unsigned resets() const { return resets_; }
  /// reset_n has changed.
  virtual void reset_changed() {}

  /// Reads a register for an access that begins in `cycle` and finds the engine at rest. Returns
  /// false for SLVERR, and in `cycle` when it ends: kAccessCycles later, unless the bus differs.
  virtual bool read_at_rest(uint32_t address, uint32_t& value, uint64_t& cycle);
  /// Carries out `transfer` and waits as long as the bus takes. Returns false for SLVERR.
  virtual bool transfer_register(RegisterTransfer& transfer) = 0;
  /// Reads a register in no time and without side effects, for debuggers. Returns false if that is
  /// not possible.
  virtual bool peek_register(uint32_t /*address*/, uint32_t& /*value*/) const { return false; }
  /// Returns when each beat of a burst is served. The engine requested the burst in `cycle`, and
  /// the memory has just answered with `delay`. A memory that knows BurstExtension has said it
  /// there. For any other memory the last beat comes after the delay, and those before it one a
  /// cycle; no beat of a read comes before the cycle after the request, or before the answer.
  BeatTimes times_of(const tlm::tlm_generic_payload& payload, const BurstExtension& burst,
                     uint64_t cycle, const sc_core::sc_time& delay) const;
  /// Sends `payload` to the memory. One that takes no byte enables gets a write in pieces without
  /// them, one after another.
  void send(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// The memory withdraws direct access to these addresses.
  virtual void end_direct_access(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) {}

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool read_ahead(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug_transport(tlm::tlm_generic_payload& payload);
  void end_of_elaboration() override;
  void watch_reset();
  void send_pieces(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  Params params_;
  Clock clock_;
  unsigned resets_ = 0, resets_done_ = 0;
  bool takes_enables_ = true;  // the memory, as far as is known
  std::function<uint64_t()> horizon_;
};

}  // namespace mxe
