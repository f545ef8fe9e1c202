// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/platform/dram/address_map.h"
#include "model/platform/dram/dram.h"

namespace mxe::dram {

/// One access of a pattern.
struct Step {
  bool is_write;
  Location at;
};

/// Five patterns for comparisons with other simulators: "sequential", "strided", "random", "mixed"
/// (two reads, then one write), "conflicts".
const std::vector<std::string>& pattern_names();

/// The first `count` accesses of a pattern.
std::vector<Step> pattern(const std::string& name, const Config& config, std::size_t count);

/// How requests arrive: one every `gap` cycles at most, and at most `window` reads outstanding.
struct Load {
  uint64_t gap;
  unsigned window = 32;
};

/// Requests as fast as the controller accepts them, or one at a time from time to time.
Load heavy_load();
Load light_load(const Config& config);

struct Score {
  double rate;     ///< accesses per 1000 cycles of tCK
  double latency;  ///< of reads, mean, in cycles of tCK
};

/// Serves the pattern for kScoreCycles cycles.
constexpr uint64_t kScoreCycles = 100'000;
Score measure(const Config& config, Mode mode, const std::vector<Step>& steps, const Load& load);

/// The configuration of a preset that a peer ("dramsim3", "ramulator") can have as well: one
/// subchannel, all-bank refresh, one cycle of controller latency, and the peer's queues.
Config comparable(const std::string& preset, const std::string& peer);

}  // namespace mxe::dram
