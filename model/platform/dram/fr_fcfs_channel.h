// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "model/platform/dram/channel_timing.h"
#include "model/platform/dram/dram.h"
#include "model/platform/dram/refresh.h"

namespace mxe::dram {

/// One access of a request, on its way through a controller.
struct Access {
  uint64_t entry_cycle = 0;
  uint64_t ticket = 0;
  uint64_t address = 0;  ///< of the access, within the capacity
  Location at;
  bool is_write = false;
  bool is_opener = false;        ///< its row was activated for it
  bool had_conflict = false;     ///< another row was closed for it
  std::vector<uint64_t> merged;  ///< tickets of later reads that share this access
};

/// The controller of one channel: first ready, first come, first served.
///
/// Each cycle issues the first of: a due refresh (or the precharges before it), the oldest legal
/// read or write to an open row, the oldest legal activate or precharge. A row with queued hits
/// stays open until row_hit_cap hits have overtaken an older request for another row; then older
/// requests of its bank go first. Reads have priority; writes drain from write_high entries down to
/// write_low, or while no read waits. A row that was activated serves the access it was activated
/// for before it closes.
class FrFcfsChannel {
 public:
  explicit FrFcfsChannel(const Config& config);

  /// `access` enters in its entry_cycle, which no advance() has decided.
  void add(const Access& access);
  /// Decides all cycles before `cycle`.
  void advance(uint64_t cycle);
  /// First cycle that may issue a command or accept an access; kNever if it is empty.
  uint64_t next_cycle() const { return is_empty() ? kNever : std::max(now_, wake_); }
  bool is_empty() const;
  bool has_room(bool is_write) const;

  struct Answer {
    uint64_t ticket;
    uint64_t cycle;
  };
  /// The answers since the last call.
  std::vector<Answer> take();
  Statistics statistics() const { return timing_.statistics_until(now_); }
  ChannelTiming& timing() { return timing_; }
  const ChannelTiming& timing() const { return timing_; }

 private:
  using Queue = std::vector<Access>;
  enum class Priority : uint8_t { refresh, column, row, none };
  struct Choice {
    Priority priority = Priority::none;
    Command command = Command::activate;
    Location at;
    Access* access = nullptr;
  };
  struct Bank {
    bool has_opener = false;     // the access that its row was activated for is queued
    uint64_t hits = 0;           // of its open row
    bool has_hit = false;        // a queued access hits its open row
    bool has_older_hit = false;  // as above, older than the present access
    bool is_claimed = false;     // an older access needs another row
  };

  void accept_accesses();
  void accept_read(Access& read);
  void accept_write(Access& write);
  void choose_direction();
  bool step();
  void mark_hits();
  void consider_refreshes();
  void consider_refresh(unsigned rank);
  void consider_accesses(Queue& queue, bool only_openers);
  void consider_access(Access& access);
  void consider_hit(Access& access, Bank& bank);
  void consider_other_row(Access& access, Bank& bank);
  void consider(const Choice& choice);
  bool waits_for_refresh(const Access& access) const;
  bool has_opener(unsigned rank) const;
  bool closes_row(const Access& access) const;
  void issue(const Choice& choice);
  void issue_column(const Choice& choice);
  void wait_until(uint64_t cycle);
  bool hits_open_row(const Access& access) const;
  Bank& bank_of(const Location& at) { return banks_[timing_.index(at)]; }

  Config config_;
  ChannelTiming timing_;
  RefreshSchedule refresh_;
  std::deque<Access> arriving_reads_, arriving_writes_;
  Queue reads_, writes_;
  bool drains_writes_ = false;
  std::vector<Bank> banks_;
  std::vector<Answer> answers_;
  uint64_t now_ = 0;   // first cycle that is not decided
  uint64_t next_ = 0;  // of step(): first later cycle in which anything may change
  uint64_t wake_ = 0;  // no command before this cycle
  Choice best_;        // of step()
};

}  // namespace mxe::dram
