// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/dram/patterns.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <random>

#include "model/platform/dram/clock.h"
#include "model/platform/dram/presets.h"

namespace mxe::dram {
namespace {

Step mixed_step(const Config& config, const AddressMap& map, uint64_t i) {
  // Two streams: reads in the lower half of the banks, writes in the upper half.
  const bool is_write = i % 3 == 2;
  const uint64_t access = is_write ? i / 3 : i / 3 * 2 + i % 3;
  Location at = map.locate_access(access);
  at.bank = at.bank % (config.banks / 2) + (is_write ? config.banks / 2 : 0);
  return {is_write, at};
}

}  // namespace

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> kNames = {"sequential", "strided", "random", "mixed",
                                                  "conflicts"};
  return kNames;
}

std::vector<Step> pattern(const std::string& name, const Config& config, std::size_t count) {
  constexpr uint64_t kStride = 16;  // accesses
  const AddressMap map(config);
  std::mt19937_64 random(1);
  std::vector<Step> steps;
  for (uint64_t i = 0; i < count; i++) {
    if (name == "sequential") steps.push_back({false, map.locate_access(i)});
    if (name == "strided") steps.push_back({false, map.locate_access(i * kStride)});
    if (name == "random") steps.push_back({false, map.locate_access(random() >> 8)});
    if (name == "mixed") steps.push_back(mixed_step(config, map, i));
    if (name == "conflicts") {
      steps.push_back({false, {0, 0, 0, 0, static_cast<uint32_t>(i * 7 % config.rows), 0}});
    }
  }
  return steps;
}

Load heavy_load() { return {1}; }

Load light_load(const Config& config) { return {2 * uint64_t{config.rc}}; }

Score measure(const Config& config, Mode mode, const std::vector<Step>& steps, const Load& load) {
  const AddressMap map(config);
  const Clock clock(config);
  const auto dram = make_dram(config, mode);
  std::vector<uint64_t> arrivals;                                                  // by ticket
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> in_flight;  // reads
  std::size_t outstanding = 0, reads = 0;
  double latency = 0;
  uint64_t free_cycle = 0;
  for (uint64_t cycle = 0; cycle < kScoreCycles; cycle++) {
    dram->advance(clock.ps_of(cycle));
    for (const Completion& one : dram->take_completions()) {
      if (steps[one.ticket].is_write) continue;
      const uint64_t done = clock.cycle_from(one.done_ps);
      latency += double(done - arrivals[one.ticket]);
      reads++;
      in_flight.push(done);
    }
    for (; !in_flight.empty() && in_flight.top() < cycle; in_flight.pop()) outstanding--;
    const Step& step = steps.at(arrivals.size());
    if (cycle < free_cycle || !dram->has_room(step.is_write)) continue;
    if (!step.is_write && outstanding >= load.window) continue;
    dram->submit({map.address_of(step.at), 1, step.is_write, clock.ps_of(cycle)});
    arrivals.push_back(cycle);
    if (!step.is_write) outstanding++;
    free_cycle = cycle + load.gap;
  }
  return {double(arrivals.size()) * 1000 / double(kScoreCycles), latency / double(reads)};
}

Config comparable(const std::string& name, const std::string& peer) {
  Config config = preset(name);
  config.channels = config.subchannels = 1;
  config.refresh = RefreshMode::all_bank;
  config.request_latency = static_cast<uint32_t>(config.tck_fs / 1000);
  config.response_latency = 0;
  if (peer == "dramsim3") {
    // Commands of one cycle, no separate time for a precharge of all banks, and its turnarounds.
    config.act_slots = config.column_slots = 1;
    config.rp_ab = config.rp;
    config.rtrs = 1;
    config.rc = config.ras + config.rp;
    config.rtw = config.cl + config.burst_cycles() + config.rtrs - config.cwl;
    config.row_hit_cap = 4;
    config.write_high = 32;
    config.write_low = 0;
    config.write_idle = 8;
  }
  return config;
}

}  // namespace mxe::dram
