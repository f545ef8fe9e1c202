// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/engine/memory/memory_port.h"
#include "model/engine/memory/memory_timing.h"
#include "model/engine/skipping/state.h"
#include "model/engine/timing/common/bursts.h"
#include "model/engine/timing/common/fetch.h"
#include "model/engine/timing/common/trace.h"
#include "model/engine/timing/read/unpack.h"
#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::engine {

/// The sources of requests to the read port, in falling priority, unless A goes first.
enum class ReadSource : uint8_t { bias, b, a, command };
inline constexpr std::size_t kReadSources = 4;
/// First cycle in which each source requests, kNever if it does not.
using ReadRequests = std::array<uint64_t, kReadSources>;

/// Read port (mxe_rd_port): arbitrates the row fetches, splits each into AXI bursts and hands the
/// beats to the unpacker. Everything returns in order, and there is always room for the words, so
/// all times of a fetch are known when it is accepted.
class RdPort {
 public:
  RdPort(const Params& params, const PortLimits& limits, MemoryPort& memory, TracePoint trace);

  /// First cycle in which one of `requests` is accepted; kNever if none. `a_first`: A goes before
  /// B, however many beats of A are under way.
  uint64_t next_accept(const ReadRequests& requests, bool a_first) const;
  /// The source that is accepted in `cycle`, which next_accept() returned.
  ReadSource grant(uint64_t cycle, const ReadRequests& requests, bool a_first);

  struct Arrival {
    uint64_t last_word = 0;   ///< cycle in which its last word leaves the unpacker
    uint64_t last_beat = 0;   ///< cycle in which the unpacker takes its last beat; kNever if never
    uint64_t error = kNever;  ///< cycle of its first error: after the first beat of a burst
    uint64_t error_address = 0;     ///< of the burst with that error
    const uint8_t* data = nullptr;  ///< the fetch's bytes, until the next fetch; null without data
  };
  /// Accepts `fetch` in `cycle`. Without `with_data` no bytes are read, but the times are the same.
  /// Requests stop after cycle `last`, if known, and, with `aborts_job`, after an error of the
  /// fetch itself: the next burst is then the last one.
  Arrival accept(uint64_t cycle, const Fetch& fetch, bool with_data, uint64_t last = kNever,
                 bool aborts_job = true);

  /// First cycle without outstanding beats, if requests stop after `cycle` (halt_i) and outstanding
  /// beats are dropped.
  uint64_t drained_cycle(uint64_t cycle) const;
  /// Beats of the last accepted fetch that were counted, but are not requested if requests stop
  /// after `cycle`.
  uint64_t never_requested(uint64_t cycle) const;
  /// clear_i in `cycle`.
  void clear(uint64_t cycle);

  void visit(StateVisitor& visitor);

  uint64_t bursts() const { return bursts_; }
  /// Read beats so far.
  uint64_t beats() const { return beats_; }

 private:
  /// A burst of the last fetch: the times that an abort needs.
  struct Burst {
    uint64_t from = 0, fire = 0;  // first cycle in which it could be requested, and its request
    uint64_t offered_before = 0;  // the memory offers the last beat of those before it
    uint64_t end_before = 0;      // their end, with the fraction bits of BeatTimes
    BeatTimes offers;             // the memory offers its beats
    uint64_t length = 0;          // beats
    uint64_t taken = 0;           // its last beat
    uint64_t beats = 0;           // so far, its own included
    uint64_t end = 0, end_offered = 0, end_beats = 0;  // of the burst for whose end it waited
  };

  /// First cycle in which the limit kReadABeats allows a fetch of A; without effect if A is first.
  uint64_t a_allowed_cycle() const;
  ReadRequests allowed(const ReadRequests& requests, bool a_first) const;
  void count_beats(uint64_t beats);
  const Burst& last_requested(uint64_t cycle) const;
  static uint64_t sooner(const Burst& burst, uint64_t cycle, uint64_t waiting);

  BeatSize beat_;
  unsigned max_burst_, read_limit_, outstanding_;
  Bursts row_bursts_;
  bool two_words_;
  MemoryPort& memory_;
  TracePoint trace_;
  Unpack unpack_;
  uint64_t free_cycle_ = 0;                       // the last burst of the fetch before leaves
  History<uint64_t, kMostReadOutstanding> done_;  // last beat of each fetch
  History<uint64_t, kMostReadOutstanding> fetch_beats_;
  // The first of the last fetches that together have fewer beats than make A wait, and those beats.
  uint64_t first_few_ = 0, few_beats_ = 0;
  std::vector<uint64_t> burst_done_;  // last beat of each of the last read_limit_ bursts
  std::vector<uint64_t> burst_offered_, burst_beats_;  // its offer; beats so far, that one included
  std::size_t slot_ = 0;                               // of the next burst in these rings
  std::vector<Burst> fetch_bursts_;  // of the last fetch: the first burst_ of them
  std::size_t burst_ = 0;
  uint64_t bursts_ = 0, beats_ = 0;
  uint64_t last_offered_ = 0;  // when the memory offers the last of all beats
  uint64_t last_end_ = 0;      // and the end of that, with the fraction bits of BeatTimes
  std::vector<uint8_t> data_;
};

}  // namespace mxe::engine
