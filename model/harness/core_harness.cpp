// SPDX-License-Identifier: Apache-2.0
#include "model/harness/core_harness.h"

#include <algorithm>

namespace mxe::harness {
namespace {

// Most cycles of one run(), so that the caller's cycle count does not overflow.
constexpr uint64_t kLongestRun = uint64_t{1} << 40;

}  // namespace

bool CoreHarness::access(RegisterTransfer& transfer, uint64_t start) {
  core_.run_until(access_needs(transfer, start));
  if (!transfer.write) return core_.read(transfer.address, transfer.data);
  return core_.write(start + kWriteVisible, transfer.address, transfer.data, transfer.strobe);
}

uint64_t CoreHarness::run(uint64_t now, uint64_t limit) {
  limit = std::min(limit, now + kLongestRun);
  core_.run_to_interrupt(limit);
  limit = core_.reach(limit);
  const auto& changes = core_.interrupts();
  return changes.empty() ? limit : std::min(limit, changes.front().cycle);
}

uint64_t CoreHarness::interrupt_cycle() const {
  const auto& changes = core_.interrupts();
  return changes.empty() ? kNever : changes.front().cycle + kInterruptDelay;
}

bool CoreHarness::take_interrupt() {
  const bool level = core_.interrupts().front().level;
  core_.interrupts().pop_front();
  return level;
}

}  // namespace mxe::harness
