// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/platform/rtl/rtl_signal.h"
#include "tb/coverage/bins.h"

namespace mxe::coverage {

/// Coverage of states: transitions of commands and banks, fill levels, combinations.
class StateBins {
 public:
  static void define(Bins& bins);

  explicit StateBins(std::vector<rtl::RtlSignal> signals);
  void cycle();
  void report(Bins& bins) const;

 private:
  /// Consecutive values of a signal, or simultaneous values of two signals.
  using ValuePair = std::pair<uint64_t, uint64_t>;

  struct Watched {
    rtl::RtlSignal signal;
    uint64_t value;
    std::map<ValuePair, uint64_t> transitions;
  };
  struct Together {
    std::size_t first, second;
    ValuePair values;
    std::map<ValuePair, uint64_t> seen;
  };

  const Watched* find(const std::string& name) const;
  void watch_together(const char* first, const char* second);
  void report_step(const Watched& watched, const ValuePair& values, uint64_t times,
                   Bins& bins) const;
  void report_meeting(const Together& together, const ValuePair& values, uint64_t times,
                      Bins& bins) const;

  std::vector<Watched> watched_;
  std::vector<Together> together_;
};

}  // namespace mxe::coverage
