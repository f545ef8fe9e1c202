// SPDX-License-Identifier: Apache-2.0
// Compares rates and latencies with those of other simulators, which peers.json keeps
// (scripts/peers-dram).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/unit/dram/patterns.h"

namespace mxe::dram {
namespace {

constexpr double kLimit = 3;  // per cent

struct Exception {
  const char* run;      ///< preset and peer
  const char* pattern;  ///< pattern and load
  const char* value;
  double limit;  ///< per cent
};

// DRAMsim3 refreshes before the read of a row that was just activated for it, and activates the row
// once more. It drains writes into the same queues as reads, without separate phases.
constexpr Exception kExceptions[] = {
    {"ddr4-3200 dramsim3", "mixed heavy", "latency", 12},
    {"ddr4-3200 dramsim3", "random light", "latency", 4},
    {"ddr4-3200 dramsim3", "conflicts light", "latency", 4},
    {"lpddr4x-4266 dramsim3", "random light", "latency", 5},
    {"lpddr4x-4266 dramsim3", "conflicts light", "latency", 5},
    {"hbm2 dramsim3", "mixed heavy", "rate", 4},
    {"hbm2 dramsim3", "mixed heavy", "latency", 10},
    {"hbm2 dramsim3", "random light", "latency", 4},
};

double limit_of(const std::string& run, const std::string& pattern, const std::string& value) {
  for (const Exception& one : kExceptions) {
    if (run == one.run && pattern == one.pattern && value == one.value) return one.limit;
  }
  return kLimit;
}

nlohmann::json recorded() {
  std::ifstream file(MXE_DRAM_PEERS);
  return nlohmann::json::parse(file);
}

void check(const std::string& run, const std::string& pattern, const char* value, double ours,
           double peer) {
  const double error = 100 * std::abs(ours / peer - 1);
  const double limit = limit_of(run, pattern, value);
  EXPECT_LE(error, limit) << run << ", " << pattern << ": " << value << " " << ours << ", not "
                          << peer;
  EXPECT_TRUE(limit == kLimit || error > kLimit)
      << run << ", " << pattern << ": the exception is no longer needed for " << value;
}

class Peers : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Runs, Peers,
                         ::testing::Values("ddr4-3200 dramsim3", "lpddr4x-4266 dramsim3",
                                           "hbm2 dramsim3", "ddr4-3200 ramulator",
                                           "ddr5-4800 ramulator", "ddr5-6400 ramulator",
                                           "lpddr5-6400 ramulator", "lpddr5x-8533 ramulator",
                                           "hbm3 ramulator"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           for (char& c : name) {
                             if (c == '-' || c == ' ') c = '_';
                           }
                           return name;
                         });

Config config_of(const std::string& run) {
  const std::size_t space = run.find(' ');
  return comparable(run.substr(0, space), run.substr(space + 1));
}

TEST_P(Peers, HaveTheSameRatesAndLatencies) {
  const Config config = config_of(GetParam());
  const nlohmann::json scores = recorded()["runs"][GetParam()]["scores"];
  ASSERT_EQ(10u, scores.size());
  for (const std::string& name : pattern_names()) {
    const auto steps = pattern(name, config, kScoreCycles / 2);
    for (const bool heavy : {true, false}) {
      const std::string key = name + (heavy ? " heavy" : " light");
      const Score score =
          measure(config, Mode::fr_fcfs, steps, heavy ? heavy_load() : light_load(config));
      check(GetParam(), key, "rate", score.rate, scores[key]["rate"]);
      check(GetParam(), key, "latency", score.latency, scores[key]["latency"]);
    }
  }
}

TEST_P(Peers, WereRunWithThePresetsTimings) {
  const Config config = config_of(GetParam());
  const nlohmann::json record = recorded()["runs"][GetParam()]["config"];
  for (const KeyInfo& key : config_keys()) {
    EXPECT_EQ(record.value(key.name, ~0u), config.*(key.member))
        << GetParam() << ": " << key.name << " has changed; run scripts/peers-dram --record";
  }
  EXPECT_DOUBLE_EQ(record["tck_ps"], double(config.tck_fs) / 1000);
}

}  // namespace
}  // namespace mxe::dram
