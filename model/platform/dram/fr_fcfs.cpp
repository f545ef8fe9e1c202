// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/fr_fcfs.h"

#include <algorithm>

namespace mxe::dram {

FrFcfs::FrFcfs(const Config& config)
    : config_(config),
      map_(config),
      clock_(config),
      channels_(config.units(), FrFcfsChannel(config)) {}

uint64_t FrFcfs::submit(const Request& request) {
  Tickets::check(request, advanced_ps_);
  const AddressMap::Accesses accesses = map_.accesses(request.address, request.bytes);
  const uint64_t ticket = tickets_.open(accesses.count());
  Access access;
  access.entry_cycle = clock_.cycle_from(request.arrival_ps + config_.request_latency);
  access.ticket = ticket;
  access.is_write = request.is_write;
  for (uint64_t i = accesses.first; i <= accesses.last; i++) {
    access.at = map_.locate_access(i);
    access.address = map_.address_of(access.at);
    channels_[access.at.unit].add(access);
  }
  return ticket;
}

void FrFcfs::advance(uint64_t to_ps) {
  if (to_ps <= advanced_ps_) return;
  advanced_ps_ = to_ps;
  // Requests that arrive from now on enter in this cycle at the earliest.
  const uint64_t cycle = clock_.cycle_from(to_ps);
  for (FrFcfsChannel& channel : channels_) {
    channel.advance(cycle);
    for (const FrFcfsChannel::Answer& answer : channel.take()) {
      tickets_.finish(answer.ticket, clock_.ps_of(answer.cycle) + config_.response_latency);
    }
  }
}

std::vector<Completion> FrFcfs::take_completions() { return tickets_.take(); }

uint64_t FrFcfs::next_event_ps() const {
  uint64_t cycle = kNever;
  for (const FrFcfsChannel& channel : channels_) cycle = std::min(cycle, channel.next_cycle());
  return cycle == kNever ? kNever : clock_.ps_of(cycle) + 1;
}

bool FrFcfs::has_room(bool is_write) const {
  return std::all_of(channels_.begin(), channels_.end(), [is_write](const FrFcfsChannel& channel) {
    return channel.has_room(is_write);
  });
}

Statistics FrFcfs::statistics() const {
  Statistics sum;
  for (const FrFcfsChannel& channel : channels_) sum.add(channel.statistics());
  return sum;
}

void FrFcfs::record_commands() {
  for (FrFcfsChannel& channel : channels_) channel.timing().record_commands();
}

const std::vector<CommandRecord>& FrFcfs::log(unsigned unit) const {
  return channels_.at(unit).timing().log();
}

}  // namespace mxe::dram
