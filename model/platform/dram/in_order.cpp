// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/in_order.h"

namespace mxe::dram {

InOrder::InOrder(const Config& config)
    : config_(config),
      map_(config),
      clock_(config),
      channels_(config.units(), InOrderChannel(config)) {}

uint64_t InOrder::submit(const Request& request) {
  Tickets::check(request, 0);
  const AddressMap::Accesses accesses = map_.accesses(request.address, request.bytes);
  const uint64_t entry = clock_.cycle_from(request.arrival_ps + config_.request_latency);
  const uint64_t ticket = tickets_.open(accesses.count());
  for (uint64_t i = accesses.first; i <= accesses.last; i++) {
    const Location at = map_.locate_access(i);
    InOrderChannel& channel = channels_[at.unit];
    uint64_t answer = entry;
    if (request.is_write) {
      channel.write(at, entry);
    } else {
      answer = channel.read(at, entry);
    }
    tickets_.finish(ticket, clock_.ps_of(answer) + config_.response_latency);
  }
  return ticket;
}

Completion InOrder::serve(const Request& request) {
  submit(request);
  return take_completions().back();
}

Statistics InOrder::statistics() const {
  Statistics sum;
  for (InOrderChannel channel : channels_) {  // copies: queued writes stay in this memory
    channel.drain();
    sum.add(channel.statistics());
  }
  return sum;
}

void InOrder::record_commands() {
  for (InOrderChannel& channel : channels_) channel.timing().record_commands();
}

const std::vector<CommandRecord>& InOrder::log(unsigned unit) const {
  return channels_.at(unit).timing().log();
}

}  // namespace mxe::dram
