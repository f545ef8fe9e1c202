// SPDX-License-Identifier: Apache-2.0
// Plug-ins: times by hand, and those of the FR-FCFS controller behind the interface of DRAMsim3.
// tests/cli/memory_plugin_test.cpp has the plug-ins that break a rule.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "model/platform/dram/fr_fcfs.h"
#include "model/platform/dram/plugin_dram.h"
#include "model/platform/dram/presets.h"

namespace mxe::dram {
namespace {

constexpr uint64_t kNanosecond = 1000;  // ps
constexpr const char* kModes = MXE_MODES_PLUGIN;

PluginDram dram_of(const std::string& text) {
  return PluginDram(std::make_shared<PluginLibrary>(text), Clock(1'000'000));
}

/// Submits at a time in ns and returns when the request completes.
uint64_t end_of(PluginDram& dram, uint64_t ns, uint64_t address, uint64_t bytes,
                bool is_write = false) {
  dram.advance(ns * kNanosecond);
  const uint64_t ticket = dram.submit({address, bytes, is_write, ns * kNanosecond});
  for (;;) {
    for (const Completion& done : dram.take_completions()) {
      if (done.ticket == ticket) return done.done_ps / kNanosecond;
    }
    dram.advance(dram.next_event_ps());
  }
}

// A read of a closed row: 50 ns, and 5 ns on the data bus. A hit takes 20 ns and the bus.
TEST(Plugin, ExampleHasOpenRowsAndABus) {
  PluginDram dram = dram_of(MXE_EXAMPLE_PLUGIN);
  EXPECT_EQ(end_of(dram, 100, 0, 64), 155u);
  EXPECT_EQ(end_of(dram, 300, 128, 64), 325u) << "a hit of an idle bus";
  EXPECT_EQ(end_of(dram, 400, 8192 * 16, 64), 455u) << "another row of bank 0";
}

// 128 bytes from 32 on are the accesses 0, 64 and 128, which the bus transfers until 155, 160 and
// 165 ns.
TEST(Plugin, BurstsAreSplitIntoWholeAccesses) {
  PluginDram dram = dram_of(MXE_EXAMPLE_PLUGIN);
  EXPECT_EQ(end_of(dram, 100, 32, 128), 165u);
}

// The second access is accepted when the first one is complete, in a cycle of the engine.
TEST(Plugin, AFullPluginDelaysTheNextAccess) {
  PluginDram dram = dram_of(std::string(kModes) + ":single");
  dram.advance(1000 * kNanosecond);
  const uint64_t first = dram.submit({0, 64, false, 1000 * kNanosecond});
  const uint64_t second = dram.submit({64, 64, true, 1000 * kNanosecond});
  EXPECT_FALSE(dram.has_room(false));
  dram.advance(1300 * kNanosecond);
  const std::vector<Completion> done = dram.take_completions();
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].ticket, first);
  EXPECT_EQ(done[0].done_ps, 1100 * kNanosecond);
  EXPECT_EQ(done[1].ticket, second);
  EXPECT_EQ(done[1].done_ps, 1200 * kNanosecond);
}

TEST(Plugin, CompletionsAreAlsoKnownByAdvancing) {
  PluginDram dram = dram_of(std::string(kModes) + ":late");
  EXPECT_EQ(dram.next_event_ps(), kNever);
  dram.submit({0, 128, false, 0});
  EXPECT_EQ(dram.next_event_ps(), kNanosecond);
  dram.advance(99 * kNanosecond);
  EXPECT_TRUE(dram.take_completions().empty());
  dram.advance(100 * kNanosecond);
  ASSERT_EQ(dram.take_completions().size(), 1u) << "two accesses of one request";
}

/// A controller behind the interface of DRAMsim3, and the same controller without plug-in.
class Controller : public testing::TestWithParam<const char*> {
 protected:
  Controller() : file_(testing::TempDir() + "mxe_plugin_config") {
    std::ofstream(file_) << GetParam();
  }
  ~Controller() override { std::remove(file_.c_str()); }

  std::string adapter() const { return std::string(MXE_ADAPTER_PLUGIN) + ":" + file_; }

 private:
  std::string file_;
};

TEST_P(Controller, HasItsTimesThroughThePlugin) {
  PluginDram plugin = dram_of(adapter());
  FrFcfs direct(load_config(GetParam()));
  std::mt19937 random(5);
  std::map<uint64_t, uint64_t> through_plugin, directly;  // end by ticket
  const auto advance = [&](uint64_t to_ps) {
    plugin.advance(to_ps);
    direct.advance(to_ps);
    for (const Completion& done : plugin.take_completions()) {
      through_plugin[done.ticket] = done.done_ps;
    }
    for (const Completion& done : direct.take_completions()) directly[done.ticket] = done.done_ps;
  };
  uint64_t now = 0;
  for (int burst = 0; burst < 400; burst++) {
    now += random() % 24 * kNanosecond;
    advance(now);
    const uint64_t address = random() % 4096 * 256;
    const bool is_write = random() % 4 == 0;
    for (uint64_t i = 0; i < 4; i++) {
      const Request request{address + 64 * i, 64, is_write, now};
      EXPECT_EQ(direct.submit(request), plugin.submit(request));
    }
  }
  advance(now + 100'000 * kNanosecond);
  EXPECT_EQ(through_plugin.size(), 1600u);
  EXPECT_EQ(through_plugin, directly);
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, Controller,
    testing::Values("ddr4-3200:request_latency=0,response_latency=0",
                    "ddr4-3200:request_latency=0,response_latency=0,channels=2,page=closed",
                    "hbm2:request_latency=0,response_latency=0"));

}  // namespace
}  // namespace mxe::dram
