// SPDX-License-Identifier: Apache-2.0
// The generated tables: contents by offset, and their consistency.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/regs/generated/mxe_parameters.h"
#include "mxe_counter_table.h"
#include "mxe_reg_table.h"

namespace mxe::test {
namespace {

constexpr uint32_t window = 0x1000;

TEST(Tables, FindRegistersByTheirOffsetsOnly) {
  std::size_t found = 0;
  for (uint32_t offset = 0; offset < window; offset++) {
    const RegisterInfo* info = find_register(offset);
    if (!info) continue;
    EXPECT_EQ(info->offset, offset);
    found++;
  }
  EXPECT_EQ(found, register_table.size());
}

TEST(Tables, FindCountersByTheRegistersThatHaveTheirNames) {
  for (const RegisterInfo& info : register_table) {
    std::string name = info.name;
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    const CounterInfo* counter = find_counter(info.offset);
    const bool low = counter && name == std::string(counter->name) + "_lo";
    const bool high = counter && name == std::string(counter->name) + "_hi";
    if (low || high) {
      EXPECT_EQ(info.offset, counter->offset + (high ? 4 : 0)) << info.name;
    } else {
      EXPECT_FALSE(counter) << info.name;
    }
  }
  for (const CounterInfo& counter : counter_table) {
    EXPECT_TRUE(find_register(counter.offset)) << counter.name;
    EXPECT_TRUE(find_register(counter.offset + 4)) << counter.name;
  }
  EXPECT_FALSE(find_counter(counter_table.front().offset - 4));
  EXPECT_FALSE(find_counter(counter_table.back().offset + 8));
}

TEST(Tables, ThePartsOfTheTotalAreSevenCauses) {
  struct mxe_counters counters = {};
  uint64_t next = 1;
  std::set<std::string> parts;
  for (const CounterInfo& counter : counter_table) {
    counters.*counter.value = next;
    next *= 2;
    if (counter.part_of_total) parts.insert(counter.name);
    EXPECT_TRUE(counter.part_of_total || !counter.wait_of_array) << counter.name;
  }
  EXPECT_EQ(parts, (std::set<std::string>{"mac_active", "stall_a", "stall_b", "stall_c",
                                          "stall_drain", "stall_latency", "idle"}));
  EXPECT_EQ(sum_of_parts(counters), 0xFEu);
  EXPECT_FALSE(adds_up(counters));
  counters.total = 0xFE;
  EXPECT_TRUE(adds_up(counters));
}

TEST(Tables, EveryParameterIsShownByBitsThatTheHardwareDrives) {
  for (const ParameterInfo& info : parameter_table) {
    const RegisterInfo* shown = find_register(info.offset);
    ASSERT_TRUE(shown) << info.name;
    EXPECT_NE(shown->hardware_mask >> info.shift & 1, 0u) << info.name;
    EXPECT_EQ(std::string(info.shown_by).rfind(shown->name, 0), 0u) << info.name;
  }
}

TEST(Tables, WhatADeviceTellsIsWhatItHas) {
  mxe_capabilities device = {};
  uint32_t next = 100;
#define SET_WORD(member, REGISTER) device.member = next++;
  MXE_CAPABILITY_WORDS(SET_WORD)
#undef SET_WORD
  device.fp4_dual = true;
  device.nvfp4 = true;
  const ParameterValues values = parameters_of(device);
#define EXPECT_WORD(member, REGISTER) EXPECT_EQ(values.member, device.member) << #REGISTER;
  MXE_CAPABILITY_WORDS(EXPECT_WORD)
#undef EXPECT_WORD
  EXPECT_EQ(values.fp4_dual, 1u);
  EXPECT_EQ(values.nvfp4, 1u);
}

}  // namespace
}  // namespace mxe::test
