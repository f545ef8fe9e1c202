// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "model/engine/memory/memory_timing.h"
#include "model/engine/memory/shared_channel.h"
#include "model/platform/memory.h"

namespace mxe::platform {

/// Connects several engines to one memory: one TLM-2.0 target per port, on the platform's clock.
/// Data comes from the memory; times from SharedChannel.
///
/// Reads are granted burst by burst, round-robin. b_transport waits for the grant, so the order of
/// reads does not depend on the simulation order of engines. Requests need BurstExtension, because
/// an engine that has waited issues its next request late. Writes do not wait, because no order
/// would be right for both directions; a write takes the first free time.
///
/// With `multicast`, a port that requests the burst that another port was granted, but that has not
/// begun, receives it with that port if it can accept it at that time.
class Interconnect : public sc_core::sc_module {
 public:
  using Socket = tlm_utils::simple_target_socket_tagged<Interconnect>;

  sc_core::sc_vector<Socket> in;
  tlm_utils::simple_initiator_socket<Interconnect> out{"out"};

  /// `beat_bytes` is the width of each port. Throws Error for a half-duplex memory, and if the time
  /// resolution cannot express half a cycle.
  Interconnect(const sc_core::sc_module_name& name, const engine::MemoryTiming& timing,
               unsigned ports, unsigned beat_bytes, bool multicast = false);

  /// Cycles by which other ports delayed the bursts of `port`.
  uint64_t reads_waited(unsigned port) const { return read_.waited(port); }
  uint64_t writes_waited(unsigned port) const { return write_.waited(port); }

 private:
  struct Waiting {
    bool any = false;
    uint64_t issue = 0, first_beat = 0, beats = 0;  // first_beat: address in beats
    engine::BeatTimes times;
    sc_core::sc_event granted;
  };
  struct Granted {
    uint64_t first_beat = 0, beats = 0;
    engine::BeatTimes times;
  };

  void transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  engine::BeatTimes wait_for_grant(unsigned port, uint64_t issue, uint64_t first_beat,
                                   uint64_t beats);
  void arbitrate();
  void grant(unsigned port);
  void serve(unsigned port, const engine::BeatTimes& times);
  void join_others(unsigned port);
  void look_again(uint64_t cycle);

  unsigned beat_bytes_;
  bool multicast_;
  engine::SharedChannel read_, write_;
  std::deque<Granted> granted_;  // with multicast: recent grants, oldest first
  std::vector<Waiting> waiting_;
  unsigned first_ = 0;  // next port of the round-robin
  sc_core::sc_event arbitrate_event_;
};

}  // namespace mxe::platform
