// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/engine/memory/memory_timing.h"

namespace mxe::engine {

/// One direction of a memory that several ports share. The bandwidth is that of all of them
/// together (0: of one port), and a port takes or gives at most a beat a cycle. A port's bursts are
/// served in order, and a burst that waits for no other port is served as by a MemoryChannel.
class SharedChannel {
 public:
  /// `beat_bytes`: of the ports. `stream`: see MemoryTiming::jitter.
  SharedChannel(const MemoryTiming& timing, uint64_t stream, unsigned ports, unsigned beat_bytes);

  /// First cycle in which a burst that `port` issues in cycle `issue` may be granted. Granting
  /// earlier would only fill the queue and freeze the order of the ports.
  uint64_t grant_cycle(unsigned port, uint64_t issue) const;
  /// Serves a burst of `beats` beats that was issued in `issue`, behind all that were granted.
  BeatTimes grant(unsigned port, uint64_t issue, uint64_t beats);
  /// First cycle in which `port` may take the first beat of a burst.
  uint64_t port_free_cycle(unsigned port) const;
  /// Serves a burst of `port` with beats that another port gets anyway, from `times` on: the memory
  /// is not asked again. They must not begin before port_free_cycle().
  BeatTimes join(unsigned port, uint64_t issue, const BeatTimes& times, uint64_t beats);
  /// Serves a burst in the first time that is free for all of it, also before others that were
  /// served already: for bursts that become known in another order than they are issued in.
  BeatTimes fit_in(unsigned port, uint64_t issue, uint64_t beats);

  /// Cycles that the bursts of `port` were served later because of those of other ports.
  uint64_t waited(unsigned port) const;

 private:
  struct Port {
    uint64_t free = 0;    // its last burst ends
    uint64_t waited = 0;  // both with BeatTimes::kFraction fraction bits
  };

  BeatTimes serve(Port& port, uint64_t alone, uint64_t first, uint64_t beats);
  uint64_t alone(const Port& port, uint64_t issue);
  void occupy(uint64_t begin, uint64_t end);

  MemoryTiming timing_;
  uint64_t stream_, requests_ = 0;
  uint64_t bus_interval_, port_interval_;  // of beats: of all ports, and of one
  uint64_t free_ = 0;                      // the last granted burst ends
  std::map<uint64_t, uint64_t> busy_;      // of fit_in: begin and end, apart from each other
  std::vector<Port> ports_;
};

}  // namespace mxe::engine
