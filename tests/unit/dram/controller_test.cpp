// SPDX-License-Identifier: Apache-2.0
// Turnarounds, write drain and order: cycles by hand from the timings of plain_ddr4().
#include <gtest/gtest.h>

#include "model/numerics/base/error.h"
#include "model/platform/dram/presets.h"
#include "tests/unit/dram/bench.h"

namespace mxe::dram {
namespace {

class Turnaround : public ::testing::TestWithParam<Mode> {};

INSTANTIATE_TEST_SUITE_P(Modes, Turnaround, kBothModes, mode_name);

TEST_P(Turnaround, AReadAfterAWriteOfItsBankGroup) {
  Bench bench(plain_ddr4("write_high=1,write_low=0"), GetParam());
  bench.write(place(0, 0, 5), 0);
  bench.read(place(0, 0, 5, 1), 23);
  bench.run();
  EXPECT_EQ("ACT 0, WR 22, RD 54", bench.commands());  // 22 + CWL 16 + burst 4 + tWTR_L 12
}

TEST_P(Turnaround, AReadAfterAWriteOfAnotherBankGroup) {
  Bench bench(plain_ddr4("write_high=1,write_low=0"), GetParam());
  bench.read(place(1, 0, 5), 0);
  bench.write(place(0, 0, 5), 50);
  bench.read(place(1, 0, 5, 1), 75);
  bench.run();
  // 72 + CWL 16 + burst 4 + tWTR_S 4
  EXPECT_EQ("ACT 0, RD 22, ACT 50, WR 72, RD 96", bench.commands());
}

TEST(Controller, AWriteAfterARead) {
  Bench bench(plain_ddr4("write_high=1,write_low=0"), Mode::fr_fcfs);
  bench.read(place(0, 0, 5), 0);
  bench.read(place(0, 0, 5, 1), 100);
  bench.write(place(0, 0, 5, 2), 101);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, RD 100, WR 112", bench.commands());  // tRTW 12
}

TEST(Controller, WritesWaitForTheHighWatermark) {
  Bench bench(plain_ddr4("write_high=3,write_low=1"), Mode::fr_fcfs);
  bench.read(place(0, 0, 5), 0);
  for (uint32_t i = 0; i < 12; i++) bench.read(place(0, 0, 5, 1 + i), 1);
  bench.write(place(0, 0, 5, 20), 1);
  bench.write(place(0, 0, 5, 21), 1);
  bench.write(place(0, 0, 5, 22), 40);
  bench.run();
  // Two writes wait. The third, in cycle 40, starts a drain down to one: RD 38 + tRTW 12, tCCD_L 8.
  // Reads follow from 58 + 16 + 4 + 12 on, the last write after the last read.
  EXPECT_EQ(
      "ACT 0, RD 22, RD 30, RD 38, WR 50, WR 58, RD 90, RD 98, RD 106, RD 114, RD 122, RD 130, "
      "RD 138, RD 146, RD 154, RD 162, WR 174",
      bench.commands());
  EXPECT_EQ(2u + 1, bench.dram().statistics().turnarounds);
}

TEST(Controller, WritesWaitForMoreThanWriteIdle) {
  Bench bench(plain_ddr4("write_idle=1"), Mode::fr_fcfs);
  bench.write(place(0, 0, 5), 0);
  bench.write(place(0, 0, 5, 1), 50);
  bench.run();
  EXPECT_EQ("ACT 50, WR 72, WR 80", bench.commands());
}

TEST(Controller, AWriteIsAnsweredWhenItEntersTheQueue) {
  Bench bench(plain_ddr4("write_queue=2,write_high=2,write_low=1"), Mode::fr_fcfs);
  bench.write(place(0, 0, 5, 0), 10);
  bench.write(place(0, 0, 5, 1), 10);
  const uint64_t third = bench.write(place(0, 0, 5, 2), 10);
  EXPECT_FALSE(bench.dram().has_room(true));
  EXPECT_TRUE(bench.dram().has_room(false));
  bench.run();
  EXPECT_EQ(32u, bench.done(third));  // the first leaves the queue with its command: 10 + tRCD 22
}

TEST(Controller, ReadsOvertakeForOpenRows) {
  Bench bench(plain_ddr4(), Mode::fr_fcfs);
  bench.read(place(0, 0, 5), 0);
  const uint64_t other = bench.read(place(0, 0, 6), 20);
  const uint64_t hit = bench.read(place(0, 0, 5, 1), 21);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, RD 30, PRE 52, ACT 74, RD 96", bench.commands());
  EXPECT_LT(bench.done(hit), bench.done(other));
}

TEST(Controller, TheCapEndsOvertaking) {
  const auto commands = [](const char* options) {
    Bench bench(plain_ddr4(options), Mode::fr_fcfs);
    bench.read(place(0, 0, 5), 0);
    bench.read(place(0, 0, 6), 20);
    for (uint32_t i = 1; i < 8; i++) bench.read(place(0, 0, 5, i), 21);
    bench.run();
    return bench.commands();
  };
  EXPECT_EQ(
      "ACT 0, RD 22, RD 30, RD 38, PRE 52, ACT 74, RD 96, PRE 126, ACT 148, RD 170, RD 178, "
      "RD 186, RD 194, RD 202",
      commands("row_hit_cap=3"));
  EXPECT_EQ(
      "ACT 0, RD 22, RD 30, RD 38, RD 46, RD 54, RD 62, RD 70, RD 78, PRE 90, ACT 112, RD 134",
      commands("row_hit_cap=100"));
}

TEST(Controller, AQueuedWriteServesARead) {
  Bench bench(plain_ddr4("write_idle=20"), Mode::fr_fcfs);
  bench.write(place(0, 0, 5), 0);
  const uint64_t read = bench.read(place(0, 0, 5), 10);
  bench.write(place(0, 0, 5), 20);
  bench.dram().advance(100'000);
  bench.run();
  EXPECT_EQ(11u, bench.done(read));
  EXPECT_EQ("", bench.commands());
  EXPECT_EQ(1u, bench.dram().statistics().coalesced);
}

TEST(Controller, QueuedReadsOfAnAccessMayShareIt) {
  Bench bench(plain_ddr4("merge_reads=1"), Mode::fr_fcfs);
  bench.read(place(0, 0, 5), 0);
  const uint64_t merged = bench.read(place(0, 0, 5), 10);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22", bench.commands());
  EXPECT_EQ(48u, bench.done(merged));
}

TEST(Controller, AFullReadQueueDelays) {
  Bench bench(plain_ddr4("read_queue=1"), Mode::fr_fcfs);
  bench.read(place(0, 0, 5), 0);
  bench.read(place(1, 0, 5), 0);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, ACT 23, RD 45", bench.commands());
}

TEST(Controller, ARequestHasTheTimesOfItsFirstAndLastAccess) {
  const auto dram = make_dram(plain_ddr4(), Mode::fr_fcfs);
  dram->submit({32, 128, false, 0});  // 3 accesses of 64 bytes, in three bank groups
  dram->advance(100'000);
  const auto done = dram->take_completions();
  ASSERT_EQ(1u, done.size());
  EXPECT_EQ(48u * 625, done[0].first_ps);
  EXPECT_EQ(56u * 625, done[0].done_ps);
}

TEST(Controller, ChannelsWorkInParallel) {
  const auto dram = make_dram(plain_ddr4("channels=2,map=ro-ra-ba-co-bg-ch"), Mode::fr_fcfs);
  dram->submit({0, 128, false, 0});
  dram->advance(100'000);
  EXPECT_EQ(48u * 625, dram->take_completions().at(0).done_ps);
}

TEST(Controller, LatenciesAreAddedBeforeAndAfter) {
  const auto dram =
      make_dram(plain_ddr4("request_latency=10 ns,response_latency=7 ns"), Mode::fr_fcfs);
  dram->submit({0, 1, false, 100});  // enters at 10100 ps: edge 17 at 10625 ps
  dram->advance(1'000'000);
  EXPECT_EQ((17u + 48) * 625 + 7000, dram->take_completions().at(0).done_ps);
}

TEST(Controller, TheTimesOfAdvanceDoNotMatter) {
  const Config config = load_config("ddr4-3200");
  const auto run = [&config](uint64_t step_ps) {
    const auto dram = make_dram(config, Mode::fr_fcfs);
    std::vector<uint64_t> times;
    uint64_t seed = 1;
    for (uint64_t time = 0; time < 30'000'000; time += 7001) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      dram->submit({seed >> 20 & 0xFFFFFF, 64, (seed >> 60) < 5, time});
      for (uint64_t at = time; at <= time + 7001; at += step_ps) dram->advance(at);
      dram->advance(time + 7001);
    }
    dram->advance(100'000'000);
    for (const Completion& one : dram->take_completions()) times.push_back(one.done_ps);
    return times;
  };
  EXPECT_EQ(run(7001), run(313));
}

TEST(Controller, RefusesWrongRequests) {
  const auto dram = make_dram(plain_ddr4(), Mode::fr_fcfs);
  dram->advance(1000);
  const auto message = [&dram](const Request& request) -> std::string {
    try {
      dram->submit(request);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ("a request at 0x40 has 0 bytes; allowed: 1 to 1048576", message({64, 0, false, 2000}));
  EXPECT_EQ("a request at 0x40 arrives at 999 ps; allowed: 1000 ps or later",
            message({64, 1, false, 999}));
}

}  // namespace
}  // namespace mxe::dram
