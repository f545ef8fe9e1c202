// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/ideal.h"

#include <algorithm>

namespace mxe::dram {

Ideal::Ideal(const Config& config)
    : config_(config),
      map_(config),
      clock_(config),
      latency_ps_(idle_latency_ps(config)),
      free_cycle_(config.units()) {}

uint64_t Ideal::submit(const Request& request) {
  Tickets::check(request, 0);
  const AddressMap::Accesses accesses = map_.accesses(request.address, request.bytes);
  const uint64_t ticket = tickets_.open(accesses.count());
  for (uint64_t i = accesses.first; i <= accesses.last; i++) {
    uint64_t& free_cycle = free_cycle_[map_.locate_access(i).unit];
    const uint64_t begin = std::max(free_cycle, clock_.cycle_from(request.arrival_ps));
    free_cycle = begin + config_.burst_cycles();
    tickets_.finish(ticket, request.is_write ? request.arrival_ps + config_.request_latency +
                                                   config_.response_latency
                                             : clock_.ps_of(begin) + latency_ps_);
  }
  return ticket;
}

}  // namespace mxe::dram
