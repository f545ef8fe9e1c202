// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
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
/// all times of a fetch are known when the memory has completed the ticket of its last burst: with
/// the issue of that burst, or later.
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
    const uint8_t* data = nullptr;  ///< the fetch's bytes, until finish(); null without data
  };
  /// A fetch that is not complete.
  struct Flight {
    Fetch fetch;
    uint16_t job = 0;        ///< of accept()
    Arrival arrival;         ///< of the bursts that have responded; complete if is_complete()
    uint64_t beats = 0;      ///< of the bursts issued so far
    bool is_issued = false;  ///< no burst remains to be issued
    unsigned bursts = 0;     ///< issued without response

    bool is_complete() const { return is_issued && bursts == 0; }

   private:
    friend class RdPort;
    bool with_data = false;
    uint64_t accept_cycle = 0, first_beat = kNever;
    std::vector<uint8_t> data;
    std::size_t position = 0;  // of the next burst, in data
  };
  /// Accepts `fetch` of the job with the index `job` in `cycle`. Without `with_data` no bytes are
  /// read, but the times are the same.
  void accept(uint64_t cycle, const Fetch& fetch, uint16_t job, bool with_data);
  /// True if bursts of the last fetch remain to be issued.
  bool is_issuing() const { return is_issuing_; }
  /// Cycle in which the next burst of that fetch is issued; kNever if none remains, or if it waits
  /// for a response that is not known.
  uint64_t issue_cycle() const {
    return !is_issuing_ ? kNever : bursts_ < read_limit_ ? issue_from_ : limited_issue_cycle();
  }
  /// Issues that burst.
  void issue();
  /// Drops the bursts of the fetch that remain.
  void stop();
  /// Drops those after the next burst.
  void stop_after_next() { stops_after_next_ = is_issuing_; }

  /// Takes the response of the oldest burst if its ticket is complete; returns its fetch, else
  /// null. Call finish() if that is complete.
  const Flight* take_response();
  /// Removes the oldest fetch, which is complete.
  void finish();
  /// Issue cycle of the oldest burst without response; kNever if there is none.
  uint64_t oldest_cycle() const {
    return outstanding_bursts_.empty() ? kNever : outstanding_bursts_.front().issue;
  }

  /// First cycle without outstanding beats, if requests stop after `cycle` (halt_i) and beats are
  /// dropped when memory offers them; kNever if not known. The RTL drops one beat per cycle; if
  /// beats wait for the unpacker at the abort, its cycle differs by up to abort_bound().
  uint64_t drained_cycle(uint64_t cycle) const;
  /// clear_i in `cycle`.
  void clear(uint64_t cycle);

  void visit(StateVisitor& visitor);

  uint64_t bursts() const { return bursts_; }

 private:
  /// A burst of the last fetch.
  struct Burst {
    uint64_t issue = 0;
    uint64_t offered = kNever;  // the memory has offered all beats up to its last one
  };
  struct Outstanding {
    Ticket ticket;
    uint64_t issue = 0, address = 0;
    unsigned beats = 0;
    Flight* flight = nullptr;
    std::size_t index = 0;  // of the burst in its fetch
  };

  /// First cycle in which the limit kReadABeats allows a fetch of A; without effect if A is first.
  uint64_t a_allowed_cycle() const;
  ReadRequests allowed(const ReadRequests& requests, bool a_first) const;
  void count_beats(uint64_t beats);
  uint64_t limited_issue_cycle() const;
  uint64_t after_fetch(uint64_t number) const;
  void take(const Outstanding& burst);
  void complete(Flight& flight);

  BeatSize beat_;
  unsigned max_burst_, read_limit_, outstanding_;
  Bursts row_bursts_;
  bool two_words_;
  MemoryPort& memory_;
  TracePoint trace_;
  Unpack unpack_;
  std::deque<Flight> flights_;  // the last one may have bursts to be issued
  std::deque<Outstanding> outstanding_bursts_;
  std::vector<uint8_t> spare_;  // memory for the data of a fetch
  bool is_issuing_ = false, stops_after_next_ = false;
  uint64_t issue_from_ = 0;  // first cycle for the next burst, without the limit of bursts

  uint64_t free_cycle_ = 0;                       // the last burst of the fetch before leaves
  History<uint64_t, kMostReadOutstanding> done_;  // last beat of each complete fetch
  History<uint64_t, kMostReadOutstanding> fetch_beats_;
  // The first of the last fetches that together have fewer beats than make A wait, and those beats.
  uint64_t first_few_ = 0, few_beats_ = 0;
  std::vector<uint64_t> burst_done_;  // last beat of each of the last read_limit_ bursts
  std::size_t slot_ = 0;              // of the next burst in that ring
  uint64_t responses_ = 0;            // bursts with a response
  std::size_t response_slot_ = 0;     // of the next one in that ring
  std::vector<Burst> fetch_bursts_;   // of the last fetch since clear()
  uint64_t bursts_ = 0;
  uint64_t last_offered_ = 0;  // when the memory offers the last of all beats so far
};

}  // namespace mxe::engine
