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
#include "model/platform/dram/dram.h"

namespace mxe::platform {

/// A DRAM with its controller as a TLM-2.0 target, in its own clock (tCK). It has the times; the
/// memory behind `out`, whose b_transport must not wait, has the data and the responses. Data is
/// transferred at the call.
///
/// Each request is one of dram::Dram, at the bus address and at sc_time_stamp() + `delay`.
/// b_transport waits until the controller has scheduled the end of the request, and returns the
/// rest as `delay`. Requests of several threads overlap and end in any order. In
/// dram::Mode::in_order, b_transport does not wait.
///
/// Grants no direct access. Throws Error at a time resolution above 1 ps.
class DramMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<DramMemory> in{"in"};
  tlm_utils::simple_initiator_socket<DramMemory> out{"out"};

  DramMemory(const sc_core::sc_module_name& name, const dram::Config& config,
             dram::Mode mode = dram::Mode::fr_fcfs);

  dram::Dram& dram() { return *dram_; }
  const dram::Dram& dram() const { return *dram_; }

 private:
  struct Outstanding {
    uint64_t done_ps = dram::kNever;  // kNever: not known
    sc_core::sc_event known_event;
  };

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug_transport(tlm::tlm_generic_payload& payload) {
    return out->transport_dbg(payload);
  }
  uint64_t serve(const dram::Request& request);
  void advance();
  void take_completions();

  Clock picoseconds_{1, sc_core::SC_PS};
  std::unique_ptr<dram::Dram> dram_;
  std::map<uint64_t, Outstanding> outstanding_;  // by ticket
  sc_core::sc_event advance_event_;
};

}  // namespace mxe::platform
