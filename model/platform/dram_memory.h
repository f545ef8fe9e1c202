// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <map>
#include <memory>
#include <systemc>
#include <tlm>

#include "model/platform/clock.h"
#include "model/platform/dram/access_log.h"
#include "model/platform/dram/dram.h"
#include "model/platform/dram/port_timing.h"

namespace mxe::platform {

/// Time of the simulation and of a DRAM. A nanosecond of the simulation is a cycle of the engine,
/// which may take another time: at 800 MHz, 8 ns are 10,000 ps of the DRAM.
class DramTime {
 public:
  explicit DramTime(uint64_t cycle_fs) : cycle_fs_(cycle_fs) {}

  uint64_t ps_of(const sc_core::sc_time& time) const;
  /// Time of the simulation that is left until `ps`, rounded up; zero if that is in the past.
  sc_core::sc_time until(uint64_t ps) const;
  uint64_t now_ps() const { return ps_of(sc_core::sc_time_stamp()); }

 private:
  uint64_t cycle_fs_;
};

/// A DRAM with its controller as a TLM-2.0 target, in its own clock (tCK). It has the times; the
/// memory behind `out`, whose b_transport must not wait, has the data and the responses. Data is
/// transferred at the call.
///
/// Each request is one of dram::Dram, at the bus address and at sc_time_stamp() + `delay`.
///
/// b_transport waits until the controller has scheduled the end of the request, and returns the
/// rest as `delay`. Requests of several threads overlap and end in any order. In
/// dram::Mode::in_order, b_transport does not wait.
///
/// nb_transport is the base protocol with all four phases. END_REQ is sent when the controller has
/// room for a request of this kind. BEGIN_RESP is the response to a write; for a read with
/// BurstExtension it is the first of its beats, which follow one per cycle of the initiator without
/// a gap, else the last data. Example: data at 100 ns to 103 ns in four beats of 1 ns; BEGIN_RESP
/// at 100 ns with BurstExtension, else at 103 ns. Responses arrive in any order, one at a time.
///
/// Grants no direct access. Throws Error at a time resolution above 1 ps. An answer of a plug-in
/// that breaks a rule is an SC_ERROR "/mxe/dram".
class DramMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<DramMemory> in{"in"};
  tlm_utils::simple_initiator_socket<DramMemory> out{"out"};

  DramMemory(const sc_core::sc_module_name& name, const dram::Config& config,
             dram::Mode mode = dram::Mode::fr_fcfs);
  /// On a platform whose nanosecond is a cycle of the setup's clock. `base`: bus address of the
  /// first byte. `accesses` may be null, else outlives this object.
  DramMemory(const sc_core::sc_module_name& name, const dram::Setup& setup, uint64_t base,
             dram::AccessLog* accesses);

  dram::Dram& dram() { return *dram_; }
  const dram::Dram& dram() const { return *dram_; }

 private:
  DramMemory(const sc_core::sc_module_name& name, uint64_t cycle_fs,
             std::unique_ptr<dram::Dram> dram, uint64_t base, dram::AccessLog* accesses);

  /// A request of b_transport, which waits for `known_event`, or of nb_transport.
  struct Outstanding {
    uint64_t done_ps = dram::kNever;  // kNever: not known
    sc_core::sc_event known_event;
    tlm::tlm_generic_payload* payload = nullptr;  // of nb_transport
  };

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum transport_phase(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   const sc_core::sc_time& delay);
  void end_request();
  void respond();
  void end_response(const sc_core::sc_time& delay);
  unsigned debug_transport(tlm::tlm_generic_payload& payload) {
    return out->transport_dbg(payload);
  }
  dram::Request transfer(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  uint64_t serve(const dram::Request& request);
  void advance();
  void take_completions();

  DramTime time_;
  uint64_t base_;
  dram::AccessLog* accesses_;
  std::unique_ptr<dram::Dram> dram_;
  std::map<uint64_t, Outstanding> outstanding_;  // by ticket
  sc_core::sc_event advance_event_;

  tlm::tlm_generic_payload* requesting_ = nullptr;                // without END_REQ
  std::multimap<uint64_t, tlm::tlm_generic_payload*> responses_;  // by the time of BEGIN_RESP
  tlm::tlm_generic_payload* responding_ = nullptr;                // without END_RESP
  sc_core::sc_time response_free_time_;                           // of the last END_RESP
  sc_core::sc_event respond_event_;
};

}  // namespace mxe::platform
