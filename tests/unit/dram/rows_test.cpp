// SPDX-License-Identifier: Apache-2.0
// Rows, bank groups and activates: cycles by hand from the timings of plain_ddr4().
#include <gtest/gtest.h>

#include "model/platform/dram/presets.h"
#include "tests/unit/dram/bench.h"

namespace mxe::dram {
namespace {

class Rows : public ::testing::TestWithParam<Mode> {};

INSTANTIATE_TEST_SUITE_P(Modes, Rows, kBothModes, mode_name);

TEST_P(Rows, AMissActivatesAndReads) {
  Bench bench(plain_ddr4(), GetParam());
  const uint64_t read = bench.read(place(0, 0, 5), 0);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22", bench.commands());
  EXPECT_EQ(48u, bench.done(read));  // 22 + CL 22 + burst 4
}

TEST_P(Rows, AHitOnlyReads) {
  Bench bench(plain_ddr4(), GetParam());
  bench.read(place(0, 0, 5), 0);
  const uint64_t hit = bench.read(place(0, 0, 5, 1), 100);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, RD 100", bench.commands());
  EXPECT_EQ(126u, bench.done(hit));
}

TEST_P(Rows, AConflictAlsoPrecharges) {
  Bench bench(plain_ddr4(), GetParam());
  bench.read(place(0, 0, 5), 0);
  const uint64_t conflict = bench.read(place(0, 0, 6), 100);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, PRE 100, ACT 122, RD 144", bench.commands());  // tRP 22, tRCD 22
  EXPECT_EQ(170u, bench.done(conflict));
}

TEST_P(Rows, ARowStaysOpenForTras) {
  Bench bench(plain_ddr4(), GetParam());
  bench.read(place(0, 0, 5), 0);
  bench.read(place(0, 0, 6), 30);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, PRE 52, ACT 74, RD 96", bench.commands());
}

TEST_P(Rows, ActivatesOfABankAreTrcApart) {
  Bench bench(plain_ddr4("tRC=90"), GetParam());
  bench.read(place(0, 0, 5), 0);
  bench.read(place(0, 0, 6), 30);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, PRE 52, ACT 90, RD 112", bench.commands());
}

TEST_P(Rows, AReadDelaysThePrecharge) {
  Bench bench(plain_ddr4(), GetParam());
  bench.read(place(0, 0, 5), 0);
  bench.read(place(0, 0, 5, 1), 50);
  bench.read(place(0, 0, 6), 51);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, RD 50, PRE 62, ACT 84, RD 106", bench.commands());  // tRTP 12
}

TEST_P(Rows, AWriteDelaysThePrechargeByItsRecovery) {
  Bench bench(plain_ddr4("write_high=1,write_low=0"), GetParam());
  bench.write(place(0, 0, 5), 0);
  bench.read(place(0, 0, 6), 40);
  bench.run();
  // WR 22, data 38 to 42, tWR 24
  EXPECT_EQ("ACT 0, WR 22, PRE 66, ACT 88, RD 110", bench.commands());
}

TEST_P(Rows, ReadsOfOneBankGroupAreTccdLApart) {
  Bench bench(plain_ddr4(), GetParam());
  for (uint32_t column = 0; column < 3; column++) bench.read(place(0, 0, 5, column), 0);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, RD 30, RD 38", bench.commands());
}

TEST_P(Rows, ReadsOfTwoBankGroupsAreTccdSApart) {
  Bench bench(plain_ddr4(), GetParam());
  bench.read(place(0, 0, 5), 0);
  bench.read(place(1, 0, 5), 0);
  bench.read(place(0, 0, 5, 1), 100);
  bench.read(place(1, 0, 5, 1), 100);
  bench.run();
  EXPECT_EQ("ACT 0, ACT 4, RD 22, RD 26, RD 100, RD 104", bench.commands());
}

TEST_P(Rows, ActivatesOfOneBankGroupAreTrrdLApart) {
  Bench bench(plain_ddr4(), GetParam());
  bench.read(place(0, 0, 5), 0);
  bench.read(place(0, 1, 5), 0);
  bench.run();
  EXPECT_EQ("ACT 0, ACT 8, RD 22, RD 30", bench.commands());
}

TEST_P(Rows, AWindowHasFourActivates) {
  Bench bench(plain_ddr4("tFAW=40"), GetParam());
  for (uint32_t group = 0; group < 4; group++) bench.read(place(group, 0, 5), 0);
  bench.read(place(0, 1, 5), 0);
  bench.run();
  // Without the window the fifth is tRRD_S after the fourth.
  EXPECT_EQ("ACT 0, ACT 4, ACT 8, ACT 12, RD 22, RD 26, RD 30, RD 34, ACT 40, RD 62",
            bench.commands());
}

TEST_P(Rows, RanksShareTheDataBusWithAGap) {
  Bench bench(plain_ddr4("ranks=2"), GetParam());
  bench.read(place(0, 0, 5), 0);
  bench.read(place(0, 0, 5, 0, 1), 0);
  bench.read(place(0, 0, 5, 1), 100);
  bench.read(place(0, 0, 5, 1, 1), 100);
  bench.run();
  // The second rank activates in the next free cycle; burst 4 + tRTRS 2.
  EXPECT_EQ(GetParam() == Mode::fr_fcfs ? "ACT 0, ACT 1, RD 22, RD 28, RD 100, RD 106"
                                        : "ACT 0, ACT 0, RD 22, RD 28, RD 100, RD 106",
            bench.commands());
}

TEST_P(Rows, AClosedPageIsPrechargedByItsRead) {
  Bench bench(plain_ddr4("page=closed"), GetParam());
  bench.read(place(0, 0, 5), 0);
  const uint64_t again = bench.read(place(0, 0, 5, 1), 60);
  bench.run();
  // Closed at tRAS 52 and ready at 74.
  EXPECT_EQ("ACT 0, RDA 22, ACT 74, RDA 96", bench.commands());
  EXPECT_EQ(122u, bench.done(again));
}

TEST(Commands, HbmHasTwoBuses) {
  const std::string options = ":refresh=off,request_latency=0,response_latency=0";
  Config config = load_config("hbm2" + options);
  const auto commands = [](const Config& one) {
    Bench bench(one, Mode::fr_fcfs);
    bench.read(place(0, 0, 5), 0);
    bench.read(place(1, 0, 5), 14);
    bench.run();
    return bench.commands();
  };
  EXPECT_EQ("ACT 0, RD 14, ACT 14, RD 28", commands(config));
  config.dual_command = 0;
  EXPECT_EQ("ACT 0, RD 14, ACT 15, RD 29", commands(config));
}

TEST(Commands, SomeNeedMoreCyclesOfTheBus) {
  Bench bench(plain_ddr4("act_slots=3,column_slots=2"), Mode::fr_fcfs);
  for (uint32_t group = 0; group < 2; group++) bench.read(place(group, 0, 5), 0);
  bench.read(place(2, 0, 5), 22);
  bench.run();
  // The third activate waits for the two cycles of the first read, the second read for it.
  EXPECT_EQ("ACT 0, ACT 4, RD 22, ACT 24, RD 27, RD 46", bench.commands());
}

}  // namespace
}  // namespace mxe::dram
