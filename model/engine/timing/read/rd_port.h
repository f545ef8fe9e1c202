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
/// all times of a fetch are known when its last burst has been issued.
class RdPort {
 public:
  RdPort(const Params& params, const PortLimits& limits, MemoryPort& memory, TracePoint trace);

  /// First cycle in which one of `requests` is accepted; kNever if none, or while bursts of a fetch
  /// remain to be issued. `a_first`: A goes before B, however many beats of A are under way.
  uint64_t next_accept(const ReadRequests& requests, bool a_first) const;
  /// The source that is accepted in `cycle`, which next_accept() returned.
  ReadSource grant(uint64_t cycle, const ReadRequests& requests, bool a_first);

  struct Arrival {
    uint64_t last_word = 0;         ///< cycle in which its last word leaves the unpacker
    uint64_t error = kNever;        ///< cycle of its first error: after the first beat of a burst
    uint64_t error_address = 0;     ///< of the burst with that error
    const uint8_t* data = nullptr;  ///< the fetch's bytes, until the next fetch; null without data
  };
  /// Accepts `fetch` in `cycle`. Without `with_data` no bytes are read, but the times are the same.
  void accept(uint64_t cycle, const Fetch& fetch, bool with_data);
  /// Cycle in which the next burst of that fetch is issued; kNever if none remains.
  uint64_t issue_cycle() const { return issue_cycle_; }
  /// Issues that burst.
  void issue();
  /// Drops the bursts of the fetch that remain.
  void stop() {
    if (issue_cycle_ != kNever) finish_fetch();
  }
  const Fetch& fetch() const { return fetch_; }
  /// Result of the bursts issued so far; complete if none remains.
  const Arrival& arrival() const { return arrival_; }
  uint64_t fetch_beats() const { return beats_ - beats_before_; }

  /// First cycle without outstanding beats, if requests stop after `cycle` (halt_i) and beats are
  /// dropped when memory offers them. The RTL drops one beat per cycle; if beats wait for the
  /// unpacker at the abort, its cycle differs by up to abort_bound().
  uint64_t drained_cycle(uint64_t cycle) const;
  /// clear_i in `cycle`.
  void clear(uint64_t cycle);

  void visit(StateVisitor& visitor);

  uint64_t bursts() const { return bursts_; }

 private:
  /// A burst of the last fetch.
  struct Burst {
    uint64_t issue = 0;
    uint64_t offered = 0;  // the memory has offered all beats up to its last one
  };

  /// First cycle in which the limit kReadABeats allows a fetch of A; without effect if A is first.
  uint64_t a_allowed_cycle() const;
  ReadRequests allowed(const ReadRequests& requests, bool a_first) const;
  void count_beats(uint64_t beats);
  uint64_t next_issue_cycle(uint64_t from) const;
  void finish_fetch();

  BeatSize beat_;
  unsigned max_burst_, read_limit_, outstanding_;
  Bursts row_bursts_;
  bool two_words_;
  MemoryPort& memory_;
  TracePoint trace_;
  Unpack unpack_;
  // The last fetch.
  Fetch fetch_;
  Arrival arrival_;
  bool with_data_ = false;
  uint64_t accept_cycle_ = 0, first_beat_ = kNever, beats_before_ = 0;
  uint64_t issue_cycle_ = kNever;
  std::size_t position_ = 0;  // of the next burst, in data_

  uint64_t free_cycle_ = 0;                       // the last burst of the fetch before leaves
  History<uint64_t, kMostReadOutstanding> done_;  // last beat of each fetch
  History<uint64_t, kMostReadOutstanding> fetch_beats_;
  // The first of the last fetches that together have fewer beats than make A wait, and those beats.
  uint64_t first_few_ = 0, few_beats_ = 0;
  std::vector<uint64_t> burst_done_;  // last beat of each of the last read_limit_ bursts
  std::size_t slot_ = 0;              // of the next burst in that ring
  std::vector<Burst> fetch_bursts_;   // of the last fetch since clear()
  uint64_t bursts_ = 0, beats_ = 0;
  uint64_t last_offered_ = 0;  // when the memory offers the last of all beats
  std::vector<uint8_t> data_;
};

}  // namespace mxe::engine
