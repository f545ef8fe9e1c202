// SPDX-License-Identifier: Apache-2.0
// Random traces: their commands obey all timings, and each request is answered once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "model/platform/dram/address_map.h"
#include "model/platform/dram/presets.h"
#include "tests/unit/dram/bench.h"
#include "tests/unit/dram/checker.h"

namespace mxe::dram {
namespace {

/// Requests with some locality: half of them follow the previous one.
std::vector<Request> random_trace(const Config& config, unsigned seed, unsigned count) {
  std::mt19937_64 random(seed);
  std::vector<Request> trace;
  uint64_t time = 0, address = 0;
  const uint64_t mean_gap = 4 * config.burst_cycles() * config.tck_fs / 1000 / config.units();
  for (unsigned i = 0; i < count; i++) {
    const bool is_dense = i / 500 % 2 == 0;  // bursts of traffic, then less
    time += random() % (is_dense ? mean_gap / 2 + 1 : 20 * mean_gap);
    address = random() % 2 ? address + config.access_bytes()
                           : random() % (config.capacity_bytes() >> random() % 16);
    trace.push_back({address, 1 + random() % 200, random() % 3 == 0, time});
  }
  return trace;
}

class Invariant : public ::testing::TestWithParam<std::tuple<std::string, Mode>> {};

const std::string kMemories[] = {"ddr4-3200",
                                 "ddr4-3200:ranks=2,rows=32768",
                                 "ddr4-3200:page=closed",
                                 "ddr4-3200:refresh=per-bank,tRFCpb=200,tPBR2ACT=10,tPBR2PBR=250",
                                 "ddr4-3200:map=ro-ra-ba-bg-ch-co,row_hit_cap=1",
                                 "ddr4-3200:read_queue=4,write_queue=4,write_high=4,write_low=0",
                                 "ddr5-4800",
                                 "ddr5-6400",
                                 "lpddr4x-4266",
                                 "lpddr4x-4266:refresh=all",
                                 "lpddr5-6400",
                                 "lpddr5x-8533:page=closed",
                                 "hbm2",
                                 "hbm3",
                                 "hbm3:refresh=per-bank"};

INSTANTIATE_TEST_SUITE_P(Memories, Invariant,
                         ::testing::Combine(::testing::ValuesIn(kMemories), kBothModes),
                         [](const auto& param_info) {
                           std::string name = std::get<0>(param_info.param);
                           for (char& c : name) {
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           }
                           const bool in_order = std::get<1>(param_info.param) == Mode::in_order;
                           return name + (in_order ? "__in_order" : "__fr_fcfs");
                         });

TEST_P(Invariant, CommandsObeyTheTimings) {
  const auto& [memory, mode] = GetParam();
  const Config config = load_config(memory);
  const auto dram = make_dram(config, mode);
  dram->record_commands();
  const auto trace = random_trace(config, 1, 6000);
  for (const Request& request : trace) {
    dram->advance(request.arrival_ps);
    dram->submit(request);
  }
  dram->advance(trace.back().arrival_ps + 1'000'000'000);
  std::set<uint64_t> tickets;
  for (const Completion& one : dram->take_completions()) {
    EXPECT_TRUE(tickets.insert(one.ticket).second);
    EXPECT_LE(one.first_ps, one.done_ps);
    EXPECT_GE(one.first_ps, trace[one.ticket].arrival_ps + config.request_latency);
  }
  EXPECT_EQ(trace.size(), tickets.size());
  for (unsigned unit = 0; unit < config.units(); unit++) {
    EXPECT_GT(dram->log(unit).size(), 1000u);
    for (const std::string& one : violations(config, dram->log(unit), mode == Mode::fr_fcfs)) {
      ADD_FAILURE() << memory << ": " << one;
    }
  }
}

TEST(Checker, FindsEachViolation) {
  const Config config = plain_ddr4();
  const auto found = [&config](std::vector<CommandRecord> log) {
    return !violations(config, std::move(log), true).empty();
  };
  const CommandRecord activate{0, Command::activate, place(0, 0, 5)};
  const auto read = [](uint64_t cycle, uint32_t group = 0) {
    return CommandRecord{cycle, Command::read, place(group, 0, 5)};
  };
  EXPECT_FALSE(found({activate, read(22)}));
  EXPECT_TRUE(found({activate, read(21)}));
  EXPECT_TRUE(found({activate, read(22), read(29)}));
  EXPECT_TRUE(found({read(22)}));
  EXPECT_TRUE(found({activate, {100, Command::activate, place(0, 0, 5)}}));
  EXPECT_TRUE(found({activate, {51, Command::precharge, place(0, 0, 5)}}));
  EXPECT_TRUE(found({activate, read(50), {61, Command::precharge, place(0, 0, 5)}}));
  EXPECT_FALSE(found({activate, read(50), {62, Command::precharge, place(0, 0, 5)}}));
  EXPECT_TRUE(found({activate, {3, Command::activate, place(1, 0, 5)}}));
  EXPECT_TRUE(found({activate, {7, Command::activate, place(0, 1, 5)}}));
  EXPECT_TRUE(found({activate, {30, Command::write, place(0, 0, 5)}, read(61)}));
  EXPECT_FALSE(found({activate, {30, Command::write, place(0, 0, 5)}, read(62)}));
  EXPECT_TRUE(found({activate, {100, Command::refresh, place(0, 0, 0)}}));
  EXPECT_TRUE(
      found({{0, Command::refresh, place(0, 0, 0)}, {559, Command::activate, place(0, 0, 5)}}));
  std::vector<CommandRecord> five;
  for (uint32_t i = 0; i < 5; i++)
    five.push_back({8 * i, Command::activate, place(i % 4, i / 4, 5)});
  EXPECT_TRUE(found(five));
  five.back().cycle = 34;
  EXPECT_FALSE(found(five));
}

}  // namespace
}  // namespace mxe::dram
