// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/refresh.h"

#include "model/platform/dram/dram.h"

namespace mxe::dram {

RefreshSchedule::RefreshSchedule(const Config& config)
    : groups_(config.bank_groups),
      banks_(config.banks),
      per_bank_(config.refresh == RefreshMode::per_bank),
      interval_(config.refresh_interval()) {
  for (uint64_t rank = 1; rank <= config.ranks; rank++) {
    const bool off = config.refresh == RefreshMode::off;
    ranks_.push_back({off ? kNever : interval_ * rank / config.ranks, 0});
  }
}

Location RefreshSchedule::target(unsigned rank) const {
  const uint32_t bank = ranks_[rank].next_bank;
  return {0, rank, bank % groups_, bank / groups_, 0, 0};
}

Command RefreshSchedule::next_command(const ChannelTiming& timing, unsigned rank) const {
  if (per_bank_) {
    return timing.open_row(target(rank)) ? Command::precharge : Command::refresh_bank;
  }
  return timing.has_open_row(rank) ? Command::precharge_all : Command::refresh;
}

void RefreshSchedule::issued(unsigned rank) {
  ranks_[rank].due += interval_;
  ranks_[rank].next_bank = (ranks_[rank].next_bank + 1) % (groups_ * banks_);
}

uint64_t RefreshSchedule::skip_before(unsigned rank, uint64_t cycle) {
  uint64_t& due = ranks_[rank].due;
  if (due == kNever || due >= cycle) return 0;
  const uint64_t count = (cycle - 1 - due) / interval_;
  due += count * interval_;
  ranks_[rank].next_bank =
      static_cast<uint32_t>((ranks_[rank].next_bank + count) % (groups_ * banks_));
  return count;
}

}  // namespace mxe::dram
