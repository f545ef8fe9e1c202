// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

namespace mxe::platform {

/// Connects sockets of different bus widths, which C++ cannot bind directly; the engine's sockets
/// have 32 bits, the TLM-2.0 default. Transactions and direct access pass unchanged.
template <unsigned FromBits, unsigned ToBits>
class WidthAdapter : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<WidthAdapter, FromBits> in{"in"};
  tlm_utils::simple_initiator_socket<WidthAdapter, ToBits> out{"out"};

  explicit WidthAdapter(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &WidthAdapter::transport);
    in.register_transport_dbg(this, &WidthAdapter::debug);
    in.register_get_direct_mem_ptr(this, &WidthAdapter::direct);
    out.register_invalidate_direct_mem_ptr(this, &WidthAdapter::invalidate);
  }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    out->b_transport(payload, delay);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) { return out->transport_dbg(payload); }
  bool direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    return out->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
    in->invalidate_direct_mem_ptr(first, last);
  }
};

}  // namespace mxe::platform
