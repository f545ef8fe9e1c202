// SPDX-License-Identifier: Apache-2.0
// Properties of the quick mode and of ideal memories, and energy. Cycles by hand from plain_ddr4().
#include "model/platform/dram/in_order.h"

#include <gtest/gtest.h>

#include "model/platform/dram/energy.h"
#include "model/platform/dram/presets.h"
#include "tests/unit/dram/bench.h"

namespace mxe::dram {
namespace {

TEST(InOrder, AnswersAtOnce) {
  InOrder dram(plain_ddr4());
  EXPECT_EQ(48u * 625, dram.serve({0, 64, false, 0}).done_ps);
  EXPECT_EQ(1'000'000u, dram.serve({0, 64, true, 1'000'000}).done_ps);  // posted
}

TEST(InOrder, KeepsTheOrderOfReads) {
  Bench bench(plain_ddr4(), Mode::in_order);
  bench.read(place(0, 0, 5), 0);
  bench.read(place(0, 0, 6), 20);
  bench.read(place(0, 0, 5, 1), 21);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, PRE 52, ACT 74, RD 96, PRE 126, ACT 148, RD 170", bench.commands());
}

TEST(InOrder, AppliesWritesByTheirTimes) {
  const auto commands = [](bool write_first) {
    Bench bench(plain_ddr4("write_high=1,write_low=0"), Mode::in_order);
    bench.write(place(0, 0, 5, 2), 300);
    if (write_first) bench.write(place(0, 0, 5), 200);
    bench.read(place(0, 0, 5), 0);
    if (!write_first) bench.write(place(0, 0, 5), 200);
    bench.read(place(0, 0, 5), 250);
    bench.run();
    return bench.commands();
  };
  EXPECT_EQ("ACT 0, RD 22, WR 200, RD 250", commands(false));
  EXPECT_EQ("ACT 0, RD 22, WR 200, RD 250", commands(true));
}

TEST(InOrder, DrainsWritesAtTheHighWatermark) {
  Bench bench(plain_ddr4("write_high=2,write_low=0"), Mode::in_order);
  bench.read(place(0, 0, 5), 0);
  bench.write(place(0, 0, 5, 1), 40);
  bench.read(place(0, 0, 5, 2), 41);
  bench.write(place(0, 0, 5, 3), 42);
  bench.read(place(0, 0, 5, 4), 43);
  bench.run();
  EXPECT_EQ("ACT 0, RD 22, RD 41, WR 53, WR 61, RD 93", bench.commands());
}

TEST(InOrder, CountsPostedWrites) {
  Bench bench(plain_ddr4(), Mode::in_order);
  bench.write(place(0, 0, 5), 0);
  EXPECT_EQ(1u, bench.dram().statistics().of(Command::write));
  EXPECT_EQ("", bench.commands());
}

TEST(Ideal, HasTheIdleLatencyAndThePeakRate) {
  const auto dram = make_dram(load_config("ddr4-3200:ideal"), Mode::fr_fcfs);
  for (int i = 0; i < 100; i++) dram->submit({1'000'000'000u * 7u * unsigned(i), 64, false, 0});
  const auto done = dram->take_completions();
  EXPECT_EQ(50'000u, done.front().done_ps);
  EXPECT_EQ(50'000u + 99 * 2500, done.back().done_ps);  // 64 B in 2.5 ns: 25.6 GB/s
}

TEST(DramEnergy, IsThatOfItsCommands) {
  const Config config = preset("ddr4-3200");
  Statistics counts;
  counts.commands[static_cast<unsigned>(Command::activate)] = 1;
  counts.commands[static_cast<unsigned>(Command::read)] = 2;
  counts.cycles = 100;
  counts.open_cycles = 60;
  const DramEnergy energy = energy_of(config, counts).value();
  // 1.2 V, 8 devices, 0.625 ns. IDD0 57 for tRC 74, less IDD3N 52 for tRAS 52 and IDD2N 37 for 22.
  EXPECT_DOUBLE_EQ((57 * 74 - 52 * 52 - 37 * 22) * 1.2 * 8 * 0.625, energy.activate);
  EXPECT_DOUBLE_EQ(2 * (168 - 52) * 4 * 1.2 * 8 * 0.625, energy.read);
  EXPECT_DOUBLE_EQ((60 * 52 + 40 * 37) * 1.2 * 8 * 0.625, energy.standby);
  EXPECT_DOUBLE_EQ(energy.activate + energy.read + energy.standby, energy.total());
  counts.commands[static_cast<unsigned>(Command::refresh)] = 1;
  counts.commands[static_cast<unsigned>(Command::write)] = 1;
  EXPECT_DOUBLE_EQ((250 - 37) * 560 * 1.2 * 8 * 0.625, energy_of(config, counts)->refresh);
  EXPECT_DOUBLE_EQ((150 - 52) * 4 * 1.2 * 8 * 0.625, energy_of(config, counts)->write);
}

TEST(DramEnergy, NeedsASource) {
  for (const char* name : preset_names()) {
    const Config config = preset(name);
    EXPECT_EQ(config.energy_source.empty(), !energy_of(config, {}).has_value()) << name;
  }
}

TEST(DramEnergy, CountsOpenCycles) {
  Bench bench(plain_ddr4("refresh=all"), Mode::fr_fcfs);
  bench.read(place(0, 0, 5), 12000);
  bench.read(place(0, 0, 5), 13000);
  bench.run();
  // Open from 12000 to the precharge in 12480, and from the activate in 13062 to the read in 13084.
  EXPECT_EQ(480u + 23, bench.dram().statistics().open_cycles);
}

}  // namespace
}  // namespace mxe::dram
