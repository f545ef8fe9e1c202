// SPDX-License-Identifier: Apache-2.0
// Refresh: cycles by hand from the timings of plain_ddr4().
#include <gtest/gtest.h>

#include "tests/unit/dram/bench.h"

namespace mxe::dram {
namespace {

class Refresh : public ::testing::TestWithParam<Mode> {};

INSTANTIATE_TEST_SUITE_P(Modes, Refresh, kBothModes, mode_name);

TEST_P(Refresh, DelaysARead) {
  Bench bench(plain_ddr4("refresh=all"), GetParam());
  const uint64_t read = bench.read(place(0, 0, 5), 12490);
  bench.run();
  EXPECT_EQ("REF 12480, ACT 13040, RD 13062", bench.commands());  // tREFI 12480, tRFC 560
  EXPECT_EQ(13088u, bench.done(read));
}

TEST_P(Refresh, ClosesAllRows) {
  Bench bench(plain_ddr4("refresh=all"), GetParam());
  bench.read(place(0, 0, 5), 12000);
  bench.read(place(0, 0, 5, 1), 12490);
  bench.run();
  EXPECT_EQ("ACT 12000, RD 12022, PREA 12480, REF 12502, ACT 13062, RD 13084", bench.commands());
}

TEST_P(Refresh, WaitsForTheTimingsOfOpenRows) {
  Bench bench(plain_ddr4("refresh=all"), GetParam());
  bench.read(place(0, 0, 5), 12470);
  bench.read(place(1, 0, 5), 12600);
  bench.run();
  // The precharge waits for tRAS: 12470 + 52.
  EXPECT_EQ("ACT 12470, RD 12492, PREA 12522, REF 12544, ACT 13104, RD 13126", bench.commands());
}

TEST_P(Refresh, HasRanksStaggered) {
  Bench bench(plain_ddr4("refresh=all,ranks=2"), GetParam());
  const uint64_t first = bench.read(place(0, 0, 5, 0, 1), 6250);
  const uint64_t second = bench.read(place(0, 0, 6), 6260);
  bench.run();
  EXPECT_EQ(6250u + 48, bench.done(first));         // rank 1 is due in 12480
  EXPECT_EQ(6240u + 560 + 48, bench.done(second));  // rank 0 in 6240
}

TEST_P(Refresh, OfABankLeavesOtherBanks) {
  Bench bench(plain_ddr4("refresh=per-bank,tRFCpb=160,tPBR2ACT=10"), GetParam());
  // Every 12480 / 16 = 780 cycles: bank 0 of group 0 first.
  const uint64_t other = bench.read(place(1, 1, 5), 782);
  const uint64_t same = bench.read(place(0, 0, 5), 783);
  bench.run();
  EXPECT_EQ("REFpb 780, ACT 790, RD 812, ACT 940, RD 962", bench.commands());
  EXPECT_EQ(838u, bench.done(other));
  EXPECT_EQ(988u, bench.done(same));
}

TEST(Refreshes, OfABankWaitWithoutStoppingOthers) {
  Bench bench(plain_ddr4("refresh=per-bank,tRFCpb=160,tPBR2ACT=10"), Mode::fr_fcfs);
  bench.read(place(0, 0, 5), 770);
  bench.read(place(1, 1, 5), 803);
  bench.run();
  // Due in 780, the refresh waits for tRAS (770 + 52) and tRP.
  EXPECT_EQ("ACT 770, RD 792, ACT 803, PRE 822, RD 825", bench.commands());
}

TEST(Refreshes, AreIssuedWhileIdle) {
  Bench bench(plain_ddr4("refresh=all"), Mode::fr_fcfs);
  bench.read(place(0, 0, 5), 100'000);
  bench.run();
  EXPECT_EQ(8u, bench.dram().statistics().of(Command::refresh));  // 100000 / 12480 = 8.01
}

TEST(Refreshes, OfALongIdleTimeAreCounted) {
  Bench bench(plain_ddr4("refresh=all"), Mode::in_order);
  bench.read(place(0, 0, 5), 0);
  const uint64_t read = bench.read(place(0, 0, 5), 1'000'000);
  bench.run();
  EXPECT_EQ(80u, bench.dram().statistics().of(Command::refresh));  // 1000000 / 12480 = 80.1
  EXPECT_EQ(1'000'048u, bench.done(read));  // the last refresh ended in 998400 + 560
}

}  // namespace
}  // namespace mxe::dram
