// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/engine/skipping/state.h"
#include "model/params/hardware.h"

namespace mxe::engine {

/// Whether it would change anything if row fetches met page boundaries elsewhere.
///
/// A fetch that crosses one is split there, which may make a burst more of it. If its beats wait
/// for those before them, they come at the same times then; only the port takes the next fetch a
/// cycle later. This keeps account of how much sooner or later each fetch might be accepted, and of
/// what else that would change: the order of fetches, the times of beats, or how many bursts are
/// under way for the interconnect. Where nothing else changes, iterations of a loop are alike
/// wherever they meet pages.
class PageSplits {
 public:
  static constexpr std::size_t kSources = 4;
  /// First cycle in which each source may be accepted, in falling priority; kNever if unknown.
  using Allowed = std::array<uint64_t, kSources>;

  /// An accepted fetch.
  struct Accepted {
    bool ends_bank = false;         ///< its source asks again a cycle later than within a bank
    unsigned bursts = 0;            ///< that it is made of
    unsigned fewest = 0, most = 0;  ///< that it might be made of
  };

  /// `burst_limit`: how many the interconnect takes at a time.
  /// Of a port that has so many bursts, and row fetches, under way at most.
  PageSplits(unsigned burst_limit, unsigned fetch_limit)
      : burst_limit_(burst_limit), fetch_limit_(fetch_limit) {}

  /// The next fetch will be one of `source`, in `cycle`.
  void grant(uint64_t cycle, std::size_t source);
  /// Whether that, or one before it, might be another cycle.
  bool watches() const { return varies() || watched_; }
  /// If so, this checks that it would be the same fetch. `waits`: its source also waits for beats.
  void check_order(const Allowed& allowed, bool waits);
  /// The sources have another priority: it is not known what another cycle would change.
  void other_order() { effects_++; }
  /// Whether this fetch might be accepted in another cycle.
  bool varies() const { return sooner_ + later_ != 0; }
  /// If so, this checks that its beats would come then, which begin in cycle `begin` or later
  /// because of those before them. `latency`: of the memory.
  void check_beats(uint64_t begin, uint64_t latency) {
    if (begin < cycle_ + later_ + 1 + latency) effects_++;
  }
  /// It is accepted; its last beat is taken in `last_beat`.
  void accept(const Accepted& fetch, uint64_t last_beat);

  /// How often so far it might have mattered where fetches meet pages.
  uint64_t effects() const { return effects_; }
  /// Whether the fetches so far make no difference any more, if times before `floor`, in the past,
  /// do not matter.
  bool settled(uint64_t floor, const Allowed& allowed) const;
  /// Periods were skipped that met pages elsewhere: which bursts are under way is not known.
  void forget_bursts() { unsure_until_ = last_beats_.count() == 0 ? 0 : last_beats_.back(); }
  /// Whether it would have to be known since.
  bool unsure() const { return unsure_; }

  void visit(StateVisitor& visitor);
  void clear();

 private:
  bool might_come_before(std::size_t source, uint64_t allowed) const;
  bool might_change_order(const Allowed& allowed) const;
  void drop_arrived();

  unsigned burst_limit_, fetch_limit_;
  // the fetch that is accepted, the next one then
  uint64_t cycle_ = 0, sooner_ = 0, later_ = 0;
  std::size_t source_ = 0;
  // the one before it
  std::size_t source_before_ = 0;
  uint64_t sooner_before_ = 0;
  // the last one: the port is free, and its source asks for another bank; at the earliest and at
  // the latest
  Accepted last_;
  uint64_t free_ = 0, earliest_ = 0, latest_ = 0;
  uint64_t again_ = 0, earliest_again_ = 0, latest_again_ = 0;
  // the last one of each source, at the latest; if that may be later than it was
  std::array<uint64_t, kSources> latest_of_{};
  bool watched_ = false;
  // of fetches under way: last beat, bursts at most
  History<uint64_t, kMostReadOutstanding> last_beats_, most_;
  uint64_t oldest_ = 0, most_bursts_ = 0;
  uint64_t effects_ = 0;
  uint64_t unsure_until_ = 0;
  bool unsure_ = false;
};

}  // namespace mxe::engine
