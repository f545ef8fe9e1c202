// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/timer.h"

#include <utility>

#include "model/platform/clock.h"
#include "soc_map.h"

namespace mxe::soc {
namespace {

// Times beyond the simulation's range never arrive.
constexpr uint64_t kFarthest = uint64_t{1} << 53;
constexpr uint64_t kLowHalf = 0xFFFFFFFF;

}  // namespace

Timer::Timer(const sc_core::sc_module_name& name, LocalTime& time,
             std::function<void(bool level)> set_irq)
    : sc_module(name), time_(time), set_irq_(std::move(set_irq)) {
  SC_HAS_PROCESS(Timer);
  SC_METHOD(ring);
  sensitive << alarm_;
  dont_initialize();
}

bool Timer::read(uint32_t offset, uint32_t& value) {
  switch (offset) {
    case SOC_TIMER_NOW_LO:
      now_high_ = static_cast<uint32_t>(time_.now() >> 32);
      value = static_cast<uint32_t>(time_.now());
      return true;
    case SOC_TIMER_NOW_HI:
      value = now_high_;
      return true;
    case SOC_TIMER_COMPARE_LO:
      value = static_cast<uint32_t>(compare_);
      return true;
    case SOC_TIMER_COMPARE_HI:
      value = static_cast<uint32_t>(compare_ >> 32);
      return true;
    default:
      return false;
  }
}

bool Timer::write(uint32_t offset, uint32_t value) {
  if (offset == SOC_TIMER_COMPARE_LO) {
    set_compare((compare_ & ~kLowHalf) | value);
  } else if (offset == SOC_TIMER_COMPARE_HI) {
    set_compare((compare_ & kLowHalf) | uint64_t{value} << 32);
  } else {
    return false;
  }
  return true;
}

void Timer::set_compare(uint64_t time) {
  compare_ = time;
  time_.set_alarm(time);
  alarm_.cancel();
  set_irq_(time <= time_.now());
  if (time > time_.now() && time < kFarthest) alarm_.notify(platform::Clock().until(time));
}

}  // namespace mxe::soc
