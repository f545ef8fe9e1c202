// SPDX-License-Identifier: Apache-2.0
#include "model/platform/clock.h"

#include <fmt/format.h>

#include <cmath>

namespace mxe::platform {
namespace {

std::string resolution() { return sc_core::sc_get_time_resolution().to_string(); }

}  // namespace

Clock::Clock(const sc_core::sc_time& period) : ticks_(period.value()) {
  if (ticks_ != 0) return;
  throw Error(fmt::format("the clock period is zero; allowed: multiples of the time resolution, {}",
                          resolution()));
}

Clock::Clock(double period, sc_core::sc_time_unit unit)
    : ticks_(sc_core::sc_time(period, unit).value()) {
  const double seconds = period * std::pow(10.0, 3.0 * unit - 15);  // SC_FS is 0, SC_PS 1, ...
  const double exact = seconds / sc_core::sc_get_time_resolution().to_seconds();
  const auto rounded = static_cast<double>(ticks_);
  if (ticks_ != 0 && std::abs(exact - rounded) <= 1e-9 * rounded) return;
  throw Error(fmt::format(
      "the clock period of {:g} s is no multiple of the time resolution; allowed: multiples of {}",
      seconds, resolution()));
}

void Clock::refuse(const char* user) {
  throw Error(
      fmt::format("time resolution {}: {} needs a period of 1 ns; allowed: 1 ns and finer "
                  "(sc_set_time_resolution), or a clock of its own",
                  resolution(), user));
}

}  // namespace mxe::platform
