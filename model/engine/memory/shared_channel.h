// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/engine/memory/memory_timing.h"

namespace mxe::engine {

/// One direction of a memory shared by several ports. The bandwidth limits their sum (0: one beat
/// per cycle), and each port moves at most one beat per cycle. A port's bursts are served in order;
/// a burst that waits for no other port has the times of a MemoryChannel.
class SharedChannel {
 public:
  SharedChannel(const MemoryTiming& timing, uint64_t stream, unsigned ports, unsigned beat_bytes);

  /// First cycle in which a burst that `port` issues in `issue` may be granted. Granting earlier
  /// would only fill the queue and freeze the order of the ports.
  uint64_t grant_cycle(unsigned port, uint64_t issue) const;
  /// Serves a burst issued in `issue`, after all granted bursts.
  BeatTimes grant(unsigned port, uint64_t issue, uint64_t beats);
  /// First cycle in which `port` can move the first beat of a burst.
  uint64_t port_free_cycle(unsigned port) const;
  /// Serves a read of `port` with the beats that another port receives at `times`, which must not
  /// begin before port_free_cycle(). The memory is not accessed again.
  BeatTimes join(unsigned port, uint64_t issue, const BeatTimes& times, uint64_t beats);
  /// Serves a burst in the first free time that holds all of it, even before bursts already served.
  /// For bursts that become known in another order than that of their issue.
  BeatTimes fit_in(unsigned port, uint64_t issue, uint64_t beats);

  /// Cycles by which other ports delayed the bursts of `port`.
  uint64_t waited(unsigned port) const;

 private:
  struct Port {
    uint64_t free = 0;    // end of its last burst
    uint64_t waited = 0;  // both with BeatTimes::kFraction fraction bits
  };

  BeatTimes serve(Port& port, uint64_t alone, uint64_t first, uint64_t beats);
  uint64_t alone(const Port& port, uint64_t issue);
  void occupy(uint64_t begin, uint64_t end);

  MemoryTiming timing_;
  uint64_t stream_, requests_ = 0;
  uint64_t bus_interval_, port_interval_;  // per beat: of all ports; of one port
  uint64_t free_ = 0;                      // end of the last granted burst
  std::map<uint64_t, uint64_t> busy_;      // fit_in(): begin -> end, disjoint
  std::vector<Port> ports_;
};

}  // namespace mxe::engine
