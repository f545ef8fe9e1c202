// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/tickets.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "model/numerics/base/error.h"

namespace mxe::dram {

void Tickets::check(const Request& request, uint64_t not_before_ps) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 20;
  if (request.bytes == 0 || request.bytes > kMostBytes) {
    throw Error(fmt::format("a request at {:#x} has {} bytes; allowed: 1 to {}", request.address,
                            request.bytes, kMostBytes));
  }
  if (request.arrival_ps < not_before_ps) {
    throw Error(fmt::format("a request at {:#x} arrives at {} ps; allowed: {} ps or later",
                            request.address, request.arrival_ps, not_before_ps));
  }
}

uint64_t Tickets::open(uint64_t access_count) {
  open_.emplace(next_, Open{access_count, {next_, kNever, 0}});
  return next_++;
}

void Tickets::finish(uint64_t ticket, uint64_t ps) {
  const auto found = open_.find(ticket);
  Open& request = found->second;
  request.completion.first_ps = std::min(request.completion.first_ps, ps);
  request.completion.done_ps = std::max(request.completion.done_ps, ps);
  if (--request.remaining != 0) return;
  done_.push_back(request.completion);
  open_.erase(found);
}

std::vector<Completion> Tickets::take() {
  std::vector<Completion> done = std::exchange(done_, {});
  std::sort(done.begin(), done.end(), [](const Completion& a, const Completion& b) {
    return std::tie(a.done_ps, a.ticket) < std::tie(b.done_ps, b.ticket);
  });
  return done;
}

}  // namespace mxe::dram
