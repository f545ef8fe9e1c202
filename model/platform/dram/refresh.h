// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/platform/dram/channel_timing.h"
#include "model/platform/dram/command.h"
#include "model/platform/dram/config.h"

namespace mxe::dram {

/// When each rank of a channel is due for a refresh. Ranks are staggered: with tREFI = 12480 and
/// two ranks, rank 0 is due in cycles 6240, 18720, ... and rank 1 in 12480, 24960, ...
/// A per-bank refresh is due every tREFI / banks cycles, bank groups first: bank 0 of group 0,
/// bank 0 of group 1, ...
class RefreshSchedule {
 public:
  explicit RefreshSchedule(const Config& config);

  /// Cycle in which the rank's next refresh is due; kNever if refresh is off.
  uint64_t due(unsigned rank) const { return ranks_[rank].due; }
  bool is_per_bank() const { return per_bank_; }
  /// The rank, and the bank of a per-bank refresh.
  Location target(unsigned rank) const;
  /// The next command of a due refresh: a precharge while a row of the target is open.
  Command next_command(const ChannelTiming& timing, unsigned rank) const;
  /// The refresh was issued.
  void issued(unsigned rank);
  /// Counts all refreshes of the rank that are due before `cycle`, but for the last, as issued.
  /// Returns their number.
  uint64_t skip_before(unsigned rank, uint64_t cycle);

 private:
  struct Rank {
    uint64_t due;
    uint32_t next_bank;
  };

  uint32_t groups_, banks_;
  bool per_bank_;
  uint64_t interval_;
  std::vector<Rank> ranks_;
};

}  // namespace mxe::dram
