// SPDX-License-Identifier: Apache-2.0
// Presets, YAML files, address maps and their errors.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "model/numerics/base/error.h"
#include "model/platform/dram/address_map.h"
#include "model/platform/dram/clock.h"
#include "model/platform/dram/presets.h"
#include "tests/unit/dram/bench.h"

namespace mxe::dram {
namespace {

std::string message_of(const std::string& text) {
  try {
    load_config(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string yaml_message(const std::string& text) {
  try {
    from_yaml(text, "my.yaml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Presets, HaveTheirPeakRates) {
  const std::pair<const char*, double> rates[] = {
      {"ddr4-3200", 25.6},   {"ddr5-4800", 38.4},     {"ddr5-6400", 51.2}, {"lpddr4x-4266", 34.13},
      {"lpddr5-6400", 51.2}, {"lpddr5x-8533", 68.27}, {"hbm2", 32},        {"hbm3", 51.2}};
  const auto list = list_presets();
  ASSERT_EQ(std::size(rates), list.size());
  for (std::size_t i = 0; i < list.size(); i++) {
    EXPECT_EQ(rates[i].first, list[i].name);
    EXPECT_NEAR(rates[i].second, list[i].peak_gbs, 0.01) << list[i].name;
    EXPECT_FALSE(list[i].source.empty()) << list[i].name;
  }
}

TEST(Presets, HaveTheIdleLatencyOfTheirTimings) {
  const auto list = list_presets();
  // 10 ns before, 10 ns after; tRCD + CL + burst. ddr4-3200: (22 + 22 + 4) * 0.625 ns.
  EXPECT_DOUBLE_EQ(20 + 48 * 0.625, list[0].idle_latency_ns);
  EXPECT_NE(std::string::npos, preset_table().find("ddr4-3200          25.6     50.0  Ramulator"));
}

TEST(Presets, RunWithoutViolations) {
  for (const char* name : preset_names()) EXPECT_NO_THROW(make_dram(preset(name), Mode::fr_fcfs));
}

TEST(Options, ChangeAPreset) {
  const Config config =
      load_config("ddr4-3200:channels=2,map=ro-ra-ba-co-bg-ch,refresh=off,tRCD=25 ns");
  EXPECT_EQ(2u, config.channels);
  EXPECT_EQ(RefreshMode::off, config.refresh);
  EXPECT_EQ(40u, config.rcd_rd);
  EXPECT_EQ(40u, config.rcd_wr);
  EXPECT_DOUBLE_EQ(51.2, config.peak_gbs());
  EXPECT_FALSE(config.is_ideal);
  EXPECT_TRUE(load_config("ddr4-3200:channels=2:ideal").is_ideal);
}

TEST(Options, HaveClearErrors) {
  const std::string names =
      "ddr4-3200, ddr5-4800, ddr5-6400, lpddr4x-4266, lpddr5-6400, lpddr5x-8533, hbm2, hbm3";
  EXPECT_EQ("unknown memory 'ddr6'; allowed: " + names + ", or a YAML file", message_of("ddr6"));
  EXPECT_EQ("unknown memory ''; allowed: " + names + ", or a YAML file", message_of(""));
  EXPECT_EQ(0u, message_of("hbm2:tXYZ=3").find("unknown key 'tXYZ'; allowed: tCK, map, "));
  EXPECT_EQ("memory 'hbm2:fast': 'fast' is no option; allowed: KEY=VALUE, ideal",
            message_of("hbm2:fast"));
  EXPECT_EQ("tRCD_RD=13.9 ns is 22.240 tCK of 625 ps; allowed: whole numbers of tCK, such as 23",
            message_of("ddr4-3200:tRCD=13.9 ns"));
  EXPECT_EQ("CL=22.5: allowed: a whole number of tCK, or a time in ns or ps",
            message_of("ddr4-3200:CL=22.5"));
  EXPECT_EQ("CL=-1: allowed: a whole number of tCK, or a time in ns or ps",
            message_of("ddr4-3200:CL=-1"));
  EXPECT_EQ("ranks=2 ns: allowed: a whole number", message_of("ddr4-3200:ranks=2 ns"));
  EXPECT_EQ("channels is 3; allowed: a power of two, 1 to 64", message_of("ddr4-3200:channels=3"));
  EXPECT_EQ("rows is 1073741824; allowed: a power of two, 1 to 1048576",
            message_of("ddr4-3200:rows=1073741824"));
  EXPECT_EQ("rows=99999999999999999999: allowed: a whole number",
            message_of("ddr4-3200:rows=99999999999999999999"));
  EXPECT_EQ("tRAS is 10; allowed: at least tRCD_RD, which is 22", message_of("ddr4-3200:tRAS=10"));
  EXPECT_EQ("write_high is 6; allowed: more than write_low, which is 6",
            message_of("ddr4-3200:write_high=6"));
  EXPECT_EQ("refresh=maybe: allowed: all, per-bank, off", message_of("ddr4-3200:refresh=maybe"));
  EXPECT_EQ("refresh=per-bank needs tRFCpb, which is 0; allowed: 1 to 100000",
            message_of("ddr4-3200:refresh=per-bank"));
  EXPECT_EQ("a refresh takes 560 cycles, but one is due every 500; allowed: less than that",
            message_of("ddr4-3200:tREFI=500"));
  EXPECT_EQ("tCK=1 ps: allowed: 50 to 20000 ps", message_of("ddr4-3200:tCK=1 ps"));
  EXPECT_EQ("columns is 4; allowed: at least burst_length, which is 8",
            message_of("ddr4-3200:columns=4"));
  EXPECT_EQ("the memory has 4503599627370496 bytes; allowed: at most 281474976710656",
            message_of("ddr4-3200:channels=64,ranks=8,rows=1048576,columns=65536"));
  EXPECT_EQ("page=ajar: allowed: open, closed", message_of("ddr4-3200:page=ajar"));
}

TEST(Maps, HaveClearErrors) {
  const std::string allowed =
      "; allowed: ro, ch, ra, ba, bg and co, highest bits first, such as ro-ch-ra-ba-co-bg, or "
      "with a number of bits, such as ro-ch-ra-ba-co-bg-co2";
  const auto error = [](const std::string& map) { return message_of("ddr4-3200:map=" + map); };
  EXPECT_EQ("map=ro-xx: unknown field 'xx'" + allowed, error("ro-xx"));
  EXPECT_EQ("map=ro-ba-co: 2 bits of bg are missing" + allowed, error("ro-ba-co"));
  EXPECT_EQ("map=ro-ro-ba-bg-co: ro has no number of bits twice" + allowed,
            error("ro-ro-ba-bg-co"));
  EXPECT_EQ("map=ro-ba-bg-co-co9: co has 7 bits in this memory" + allowed,
            error("ro-ba-bg-co-co9"));
  EXPECT_EQ("map=ro-ba-bg-cox: 'x' is no number of bits" + allowed, error("ro-ba-bg-cox"));
  EXPECT_EQ("map=: unknown field ''" + allowed, error(""));
}

TEST(Maps, SplitAddresses) {
  Config config = plain_ddr4();
  config.map = "ro-ba-co-bg-co2";
  const AddressMap map(config);
  // 64 bytes; 2 bits of the column, 2 of the bank group, 5 of the column, 2 of the bank, the row.
  const Location at = map.locate(64 * (3 + 4 * (2 + 4 * (17 + 32 * (1 + 4 * 9)))) + 5);
  EXPECT_EQ(3u + 4 * 17, at.column);
  EXPECT_EQ(2u, at.group);
  EXPECT_EQ(1u, at.bank);
  EXPECT_EQ(9u, at.row);
  EXPECT_EQ(0u, at.unit);
}

TEST(Maps, AreOneToOne) {
  for (const char* name : preset_names()) {
    const Config config = preset(name);
    const AddressMap map(config);
    for (uint64_t i = 0; i < 5000; i++) {
      const uint64_t address = i * 0x9E3779B97F4A7C15u % config.capacity_bytes();
      const uint64_t access = address / config.access_bytes() * config.access_bytes();
      ASSERT_EQ(access, map.address_of(map.locate(address))) << name;
      ASSERT_EQ(access, map.address_of(map.locate(address + config.capacity_bytes()))) << name;
    }
  }
}

TEST(Maps, OfPresetsHaveBankGroupsLowest) {
  const AddressMap map(preset("ddr4-3200"));
  EXPECT_EQ(1u, map.locate(64).group);
  EXPECT_EQ(1u, map.locate(4 * 64).column);
}

TEST(Yaml, StartsFromAPreset) {
  const Config config = from_yaml("preset: ddr5-4800\ntRCD: 15 ns\n", "my.yaml");
  EXPECT_EQ(36u, config.rcd_rd);
  EXPECT_EQ(8u, config.bank_groups);
  EXPECT_EQ("my.yaml", config.name);
}

TEST(Yaml, UsesTheTckOfTheFile) {
  EXPECT_EQ(10u, from_yaml("CL: 10 ns\ntCK: 1 ns\ntREFI: 100000\n", "my.yaml").cl);
}

TEST(Yaml, HasClearErrors) {
  EXPECT_EQ("my.yaml:2: unknown key 'tXYZ'; allowed: " + key_names(),
            yaml_message("preset: hbm2\ntXYZ: 3\n"));
  EXPECT_EQ("my.yaml:3: 'CL' occurs twice", yaml_message("CL: 22\nCWL: 16\nCL: 22\n"));
  EXPECT_EQ(0u, yaml_message("\npreset: ddr6").find("my.yaml:2: unknown memory 'ddr6'; allowed: "));
  EXPECT_EQ("my.yaml: the file is empty; allowed: a map", yaml_message(""));
  EXPECT_EQ("my.yaml: allowed: a map of keys to values", yaml_message("- 3\n"));
  EXPECT_EQ("my.yaml:1: a value must be a single number or word", yaml_message("CL: [1, 2]\n"));
  EXPECT_EQ(0u, yaml_message("CL: 1\n  CWL: [\n").find("my.yaml:2: not YAML: "));
  EXPECT_EQ("my.yaml: ranks is 3; allowed: a power of two, 1 to 8", yaml_message("ranks: 3\n"));
  EXPECT_EQ("my.yaml:1: VDD=big: allowed: a number from 0 to 5", yaml_message("VDD: big\n"));
}

TEST(Yaml, FilesAreRead) {
  const std::string path = ::testing::TempDir() + "mxe_dram_test.yaml";
  std::ofstream(path) << "preset: hbm3\n";
  EXPECT_EQ(2u, load_config(path + ":refresh=off").subchannels);
  std::remove(path.c_str());
  EXPECT_NE("", message_of("./missing.yaml"));
}

TEST(Clock, HasEdgesOfTck) {
  Config config = plain_ddr4();
  EXPECT_EQ(3u, Clock(config).cycle_from(1300));
  EXPECT_EQ(2u, Clock(config).cycle_from(1250));
  EXPECT_EQ(2u, Clock(config).cycle_until(1300));
  config.tck_fs = 416'667;
  const Clock clock(config);
  EXPECT_EQ(417u, clock.ps_of(1));
  EXPECT_EQ(834u, clock.ps_of(2));  // 833.334 ps
  for (uint64_t cycle = 0; cycle < 100'000; cycle += 7) {
    const uint64_t edge = clock.ps_of(cycle);
    ASSERT_EQ(cycle, clock.cycle_from(edge));
    ASSERT_EQ(cycle + 1, clock.cycle_from(edge + 1));
    ASSERT_EQ(cycle, clock.cycle_until(edge + 1));
  }
}

}  // namespace
}  // namespace mxe::dram
