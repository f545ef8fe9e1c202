// SPDX-License-Identifier: Apache-2.0
#include "model/platform/rtl/burst_calls.h"

#include <utility>

namespace mxe::rtl {

BurstCalls::BurstCalls(platform::TlmMemoryPort::Socket& socket, const platform::Clock& clock,
                       unsigned beat_bytes, bool overlaps)
    : socket_(socket), clock_(clock), beat_bytes_(beat_bytes), overlaps_(overlaps) {}

void BurstCalls::request(platform::Burst burst) {
  if (is_idle() && is_timed_.value_or(false)) return serve(*callers_.front(), burst);
  waiting_.push_back(std::move(burst));
  start_calls();
}

void BurstCalls::start_calls() {
  const bool may_overlap = overlaps_ && is_timed_.has_value() && !*is_timed_;
  while (!waiting_.empty() && (calls_ == 0 || may_overlap)) {
    Caller& caller = idle_caller();
    caller.burst = std::move(waiting_.front());
    waiting_.pop_front();
    calls_++;
    caller.start_event.notify();
  }
}

BurstCalls::Caller& BurstCalls::idle_caller() {
  if (!idle_.empty()) {
    Caller& caller = *idle_.back();
    idle_.pop_back();
    return caller;
  }
  Caller& caller = *callers_.emplace_back(std::make_unique<Caller>(socket_, clock_, beat_bytes_));
  sc_core::sc_spawn_options options;
  options.set_stack_size(platform::kThreadStackBytes);
  sc_core::sc_spawn([this, &caller] { call(caller); }, sc_core::sc_gen_unique_name("call"),
                    &options);
  return caller;
}

void BurstCalls::call(Caller& caller) {
  for (;;) {
    while (!caller.burst) wait(caller.start_event);
    serve(caller, *caller.burst);
    caller.burst.reset();
    idle_.push_back(&caller);
    calls_--;
    start_calls();
  }
}

void BurstCalls::serve(Caller& caller, const platform::Burst& burst) {
  caller.port.request(burst.request, *burst.ticket);
  is_timed_ = caller.port.is_timed();
}

}  // namespace mxe::rtl
