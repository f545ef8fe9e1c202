// SPDX-License-Identifier: Apache-2.0
// Bursts at an engine's port: cycles of the engine by hand, from the timings of ddr4-3200 (tCK 625
// ps, 10 ns before and 10 ns after the DRAM).
#include "model/platform/dram/port_timing.h"

#include <gtest/gtest.h>

#include "model/numerics/base/error.h"
#include "model/platform/dram/presets.h"

namespace mxe::dram {
namespace {

constexpr unsigned kBeat = 32;  // bytes

PortTiming timing(double clock_mhz) { return PortTiming({preset("ddr4-3200"), clock_mhz}); }

// 126.25 ns + 10 ns: edge 218. ACT, RD 240, data until 266: 166.25 ns + 10 ns is cycle 141 of 1.25
// ns.
TEST(PortTiming, AReadEntersAtAnEdgeOfTckAndArrivesAtOneOfTheEngine) {
  PortTiming memory = timing(800);
  const engine::BeatTimes read = memory.read(101, 0, 64, kBeat);
  EXPECT_EQ(read.beat(0), 141u);
  EXPECT_EQ(read.beat(1), 142u);
}

// 101 ns + 10 ns is between edges 177 and 178. Data until 226: 141.25 ns + 10 ns is after cycle
// 151.
TEST(PortTiming, TimesBetweenEdgesAreThoseOfTheNextEdge) {
  PortTiming memory = timing(1000);
  EXPECT_EQ(memory.read(101, 0, 32, kBeat).beat(0), 152u);
}

// The second read enters at edge 424, in another bank group, and has its data at edge 472: 305 ns
// are cycle 122 of 2.5 ns, in which the second beat of the first read arrives.
TEST(PortTiming, BeatsArriveInTheOrderOfTheBursts) {
  PortTiming memory = timing(400);
  EXPECT_EQ(memory.read(101, 0, 64, kBeat).beat(1), 122u);
  EXPECT_EQ(memory.read(102, 64, 32, kBeat).beat(0), 123u);
}

// It is acknowledged when it has entered: 136.25 ns + 10 ns is cycle 117.
TEST(PortTiming, AWriteIsAcknowledgedWhenItHasEntered) {
  PortTiming memory = timing(800);
  EXPECT_EQ(memory.write(101, 0, 64, kBeat).beat(1), 117u);
}

TEST(PortTiming, AFasterClockHasMoreCycles) {
  PortTiming slow = timing(500), fast = timing(2000);
  EXPECT_EQ(slow.read(0, 0, 32, kBeat).beat(0), 25u);  // 10 ns, 48 tCK, 10 ns are 50 ns
  EXPECT_EQ(fast.read(0, 0, 32, kBeat).beat(0), 100u);
}

TEST(PortTiming, SetupsAreEqualIfTheirTimesAre) {
  const dram::Setup setup{preset("ddr4-3200"), 800};
  EXPECT_EQ(setup.to_text(), (dram::Setup{load_config("ddr4-3200"), 800}).to_text());
  for (const char* other : {"ddr4-3200:tRCD=23", "ddr4-3200:page=closed", "ddr4-3200:ideal",
                            "ddr4-3200:map=ro-ra-ba-bg-ch-co", "ddr4-3200:refresh=off"}) {
    EXPECT_NE(setup.to_text(), (dram::Setup{load_config(other), 800}).to_text()) << other;
  }
  EXPECT_NE(setup.to_text(), (dram::Setup{preset("ddr4-3200"), 801}).to_text());
  EXPECT_THROW((dram::Setup{preset("ddr4-3200"), 0.5}).validate(), LimitError);
}

}  // namespace
}  // namespace mxe::dram
