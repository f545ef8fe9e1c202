// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Words = std::vector<std::string>;

class MemoryPlugin : public CliTest {
 protected:
  static Words estimate(const Words& more) {
    Words words{"estimate",   "1",          "64",         "256",      "--format-a",
                "mxfp8_e4m3", "--format-b", "mxfp4_e2m1", "--config", "small"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  nlohmann::json with(const std::string& plugin, const Words& more = {}) {
    Words words = more;
    words.insert(words.end(), {"--memory-plugin", plugin});
    return mxe_json(estimate(words));
  }
  void refuse(const std::string& plugin, const std::string& message, const Words& more = {}) {
    Words words = more;
    words.insert(words.end(), {"--memory-plugin", plugin});
    expect_error(estimate(words), message);
  }
  static std::string mode(const std::string& name) {
    return std::string(MXE_PLUGIN_MODES) + ":" + name;
  }
};

#ifdef MXE_WITH_RTL
TEST_F(MemoryPlugin, GivesModelAndRtlTheSameCycles) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {MXE_PLUGIN_EXAMPLE, "1300"}, {mode("late"), "1300"}, {mode("single"), "500"}};
  for (const auto& [plugin, clock] : cases) {
    const nlohmann::json model = with(plugin, {"--clock-mhz", clock});
    const nlohmann::json rtl = with(plugin, {"--clock-mhz", clock, "--on", "rtl"});
    EXPECT_EQ(model.at("cycles"), rtl.at("cycles")) << plugin;
    EXPECT_EQ(model.at("counters"), rtl.at("counters")) << plugin;
  }
}

TEST_F(MemoryPlugin, ABrokenRuleIsBadInputOnTheRtl) {
  refuse(mode("early"), "before its arrival", {"--on", "rtl"});
}
#endif

TEST_F(MemoryPlugin, SetsTheTimes) {
  const nlohmann::json late = with(mode("late"));
  EXPECT_EQ(late.at("memory").at("plugin"), mode("late"));
  EXPECT_EQ(late.at("memory").at("clock_mhz"), 1000);
  EXPECT_LT(late.at("cycles"), with(mode("single")).at("cycles"));
  EXPECT_LT(with(mode("late"), {"--clock-mhz", "250"}).at("cycles"), late.at("cycles"));
  const ProgramRun text = mxe(estimate({"--memory-plugin", MXE_PLUGIN_EXAMPLE}));
  EXPECT_NE(text.out.find("  memory         plug-in " MXE_PLUGIN_EXAMPLE "; engine at 1000 MHz\n"),
            std::string::npos)
      << text.out;
}

/// 100 ns are the latency of a memory that serves any number of reads at once.
TEST_F(MemoryPlugin, ALatencyAloneIsThatOfMemLatency) {
  EXPECT_NEAR(with(mode("late")).at("cycles"),
              mxe_json(estimate({"--mem-latency", "100"})).at("cycles").get<double>(), 10);
}

TEST_F(MemoryPlugin, ResultsStayTheSame) {
  write_random("a.npy", {3, 96}, 51);
  write_random("b.npy", {96, 21}, 52);
  Words words{"matmul",     path("a.npy"), path("b.npy"), "--format-a", "mxfp8_e4m3",
              "--format-b", "mxint8",      "--config",    "small"};
  const auto run = [&](const Words& more) {
    Words all = words;
    all.insert(all.end(), more.begin(), more.end());
    mxe_json(all);
  };
  run({"--on", "golden", "--output", path("golden.npy")});
  run({"--on", "model", "--output", path("model.npy"), "--memory-plugin", MXE_PLUGIN_EXAMPLE});
  EXPECT_TRUE(same_bytes("golden.npy", "model.npy"));
}

TEST_F(MemoryPlugin, RefusesLibrariesThatAreNoPlugins) {
  refuse(path("missing.so"), "missing.so: cannot open shared object file");
  write_text("text.so", "no library");
  refuse(path("text.so"), "text.so cannot be loaded: ");
  refuse(":late", "no DRAM plug-in in ':late'; allowed: PATH.so[:OPTIONS]");
  refuse(MXE_PLUGIN_ENTRY, "has no symbol mxe_dram_plugin_entry");
  refuse(MXE_PLUGIN_VERSION, "has version 2 of the interface; allowed: 1");
  refuse(MXE_PLUGIN_TAKE, "lacks a function");
}

TEST_F(MemoryPlugin, RefusesWhatCreateRefuses) {
  refuse(mode("refuse"), "refuses: no DRAM for a clock of 1250 ps", {"--clock-mhz", "800"});
  refuse(mode("silent"), "refuses: no reason given");
  refuse(mode("odd"), "has accesses of 48 bytes; allowed: a power of two from 8 to 4096");
  refuse(std::string(MXE_PLUGIN_EXAMPLE) + ":rows=4", "unknown option 'rows=4'; allowed: none");
}

TEST_F(MemoryPlugin, RefusesAnswersThatBreakARule) {
  refuse(mode("never"), "does not complete a read at 0x");
  refuse(mode("deaf"), "does not accept a read at 0x");
  refuse(mode("deaf"), "within 1000000 cycles of the engine");
  refuse(mode("twice"), "which is already complete");
  refuse(mode("unknown"), "completes ticket 1, which it never accepted");
  refuse(mode("early"), "before its arrival at ");
  refuse(mode("past"), ", after the time had reached ");
  refuse(mode("result"), "returns 7 for a read of 64 bytes at 0x");
  refuse(mode("many"), "returns 33 completions; allowed: up to the capacity of 32");
}

TEST_F(MemoryPlugin, ExcludesOtherMemories) {
  refuse(mode("late"), "--memory excludes --memory-plugin", {"--memory", "hbm3"});
  refuse(mode("late"), "--memory-plugin excludes --mem-latency", {"--mem-latency", "40"});
  refuse(mode("late"), "several engines cannot share a DRAM", {"--engines", "2"});
  refuse(mode("late"), "--bursts needs --memory",
         {"--bursts", path("trace"), "--burst-format", "dramsys"});
  refuse(mode("late"), "clock of 0.5 MHz; allowed: 1 to 10000", {"--clock-mhz", "0.5"});
  expect_error(estimate({"--clock-mhz", "500"}), "--clock-mhz needs --memory or --memory-plugin");
}

}  // namespace
}  // namespace mxe::test
