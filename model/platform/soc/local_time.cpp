// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/local_time.h"

#include <algorithm>

#include "model/platform/clock.h"

namespace mxe::soc {
namespace {

// A change of the engine's interrupt reaches the processor after two delta cycles. The engine
// yields for more than that (yield_to_others), so that a following access finds it still waiting.
constexpr int kSettlingSteps = 3;

}  // namespace

void LocalTime::set_ahead(uint64_t cycles) {
  simulated_ = platform::current_cycle();
  ahead_ = cycles;
}

uint64_t LocalTime::quiet_until() const {
  const sc_core::sc_time pending = sc_core::sc_time_to_pending_activity();
  const sc_core::sc_time quiet = std::min(pending, platform::cycles_to_time(quantum_));
  return std::min(simulated_ + platform::Clock().to_cycles_up(quiet), end_);
}

void LocalTime::catch_up() {
  if (now() >= quiet_until()) synchronise();
}

void LocalTime::settle() {
  if (ahead_ != 0 || settled_ == simulated_) return;
  settled_ = simulated_;
  for (int i = 0; i < kSettlingSteps && sc_core::sc_pending_activity_at_current_time(); i++) {
    sc_core::wait(sc_core::SC_ZERO_TIME);
  }
}

void LocalTime::synchronise() {
  if (ahead_ != 0) {
    busy_until_ = now();
    sc_core::wait(platform::cycles_to_time(ahead_));
    busy_until_ = 0;
    set_ahead(0);
  }
  settle();
}

void LocalTime::sleep_until(const sc_core::sc_event& event) {
  synchronise();
  busy_until_ = alarm_;
  sc_core::wait(event);
  busy_until_ = 0;
  set_ahead(0);
}

uint64_t LocalTime::next_access() const { return std::max(busy_until_, platform::current_cycle()); }

}  // namespace mxe::soc
