// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "model/engine/memory_timing.h"
#include "model/engine/shared_channel.h"
#include "model/platform/memory.h"

namespace mxe {

/// Joins the memory ports of several engines, which share one memory: a TLM-2.0 target for each,
/// all on the platforms' clock. The bytes are those of the memory behind it; the times are its own
/// (SharedChannel).
///
/// Of the ports that have a read waiting, the memory takes a burst of each in turn. b_transport
/// waits until that of a read is granted, so that reads are in the right order, whichever engine
/// the simulator runs first. Requests need BurstExtension: an engine that has waited asks late for
/// what it issued meanwhile. A write does not wait, because no order of waiting could be right for
/// both directions; it gets the first time that is free.
///
/// With `multicast`, a port that asks for beats which another port was granted, and which have not
/// begun to come, gets them together with that port, without a further read of the memory. It must
/// be free to take them by then.
class Interconnect : public sc_core::sc_module {
 public:
  using Socket = tlm_utils::simple_target_socket_tagged<Interconnect>;

  sc_core::sc_vector<Socket> in;
  tlm_utils::simple_initiator_socket<Interconnect> out{"out"};

  /// `beat_bytes`: of each port. Throws mx::Error for a half-duplex memory.
  Interconnect(const sc_core::sc_module_name& name, const MemoryTiming& timing, unsigned ports,
               unsigned beat_bytes, bool multicast = false);

  /// Cycles that bursts of `port` were served later because of the others.
  uint64_t reads_waited(unsigned port) const { return read_.waited(port); }
  uint64_t writes_waited(unsigned port) const { return write_.waited(port); }

 private:
  /// A read that waits to be granted.
  struct Waiting {
    bool any = false;
    uint64_t issue = 0, first_beat = 0, beats = 0;  // number of the first beat in memory
    BeatTimes times;
    sc_core::sc_event granted;
  };
  /// A read of the memory that was granted.
  struct Granted {
    uint64_t first_beat = 0, beats = 0;
    BeatTimes times;
  };

  void transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  BeatTimes wait_for_grant(unsigned port, uint64_t issue, uint64_t first_beat, uint64_t beats);
  void arbitrate();
  void grant(unsigned port);
  void serve(unsigned port, const BeatTimes& times);
  void join_others(unsigned port);
  void look_again(uint64_t cycle);

  unsigned beat_bytes_;
  bool multicast_;
  SharedChannel read_, write_;
  std::deque<Granted> granted_;   // with multicast: the last ones, oldest first
  std::vector<Waiting> waiting_;  // by port
  unsigned first_ = 0;            // the port whose turn it is
  sc_core::sc_event arbitrate_event_;
};

}  // namespace mxe
