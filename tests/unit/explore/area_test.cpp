// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/area.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "model/numerics/base/error.h"
#include "sw/explore/area_data.h"
#include "sw/explore/memories.h"

namespace mxe::explore {
namespace {

using Json = nlohmann::json;

constexpr double kAllowed = 0.03;  ///< relative error, leave-one-out

double total_of_blocks(const Json& design) {
  double sum = 0;
  for (const auto& [name, gates] : design.at("blocks").items()) {
    sum += gates.get<double>() *
           (name == "pe" ? design.at("parameters").at("NUM_PE").get<double>() : 1);
  }
  return sum;
}

Params random_params(std::mt19937& generator) {
  for (;;) {
    Params params;
    for (const ParameterInfo& info : parameter_table) {
      const auto drawn = static_cast<unsigned>(generator());
      unsigned value = 0;
      if (info.choices[0] != 0) {
        value = info.choices[drawn % info.choices.size()];
      } else if (info.power_of_two) {
        const auto steps = static_cast<unsigned>(std::log2(info.max / info.min)) + 1;
        value = info.min << drawn % steps;
      } else {
        value = info.min + drawn % (info.max - info.min + 1);
      }
      params.*info.field = value;
    }
    try {
      params.validate();
      return params;
    } catch (const Error&) {
    }
  }
}

TEST(Area, EverySampleLeftOutIsFoundAgain) {
  const AreaTable& table = AreaTable::shipped();
  ASSERT_GE(table.samples().size(), 60u);
  double largest = 0;
  for (std::size_t i = 0; i < table.samples().size(); i++) {
    const double error = table.leave_one_out(i);
    EXPECT_LE(std::abs(error), kAllowed) << table.samples()[i].params.to_string();
    largest = std::max(largest, std::abs(error));
  }
  EXPECT_EQ(table.error(), largest);
  RecordProperty("leave_one_out", std::to_string(largest));
}

TEST(Area, LeaveOneOutSeesAWrongSample) {
  Json table = Json::parse(kAreaTable);
  Json& drain = table.at("designs").at(1).at("blocks").at("drain");
  drain = drain.get<double>() * 2;
  EXPECT_GT(AreaTable::from_json(table.dump(), "test").error(), kAllowed);
}

TEST(Area, WhatIsLeftOutDoesNotCount) {
  const double known = AreaTable::shipped().samples().front().gate_equivalents();
  for (const char* block : {"drain", "pe"}) {
    Json table = Json::parse(kAreaTable);
    Json& gates = table.at("designs").at(0).at("blocks").at(block);
    gates = gates.get<double>() * 10;
    const AreaTable wrong = AreaTable::from_json(table.dump(), "test");
    const double found = wrong.samples().front().gate_equivalents() * (1 + wrong.leave_one_out(0));
    EXPECT_NEAR(found / known, 1, 0.01) << block;
  }
}

TEST(Area, SynthesizedEnginesAreTakenAsTheyAre) {
  const Json table = Json::parse(kAreaTable);
  const AreaTable& shipped = AreaTable::shipped();
  for (std::size_t i = 0; i < shipped.samples().size(); i++) {
    const Area area = shipped.of(shipped.samples()[i].params);
    EXPECT_TRUE(area.synthesized);
    EXPECT_EQ(area.error, 0);
    EXPECT_NEAR(area.gate_equivalents, total_of_blocks(table.at("designs").at(i)), 1);
  }
}

TEST(Area, MemoriesAreThoseThatYosysFinds) {
  for (const AreaSample& sample : AreaTable::shipped().samples()) {
    EXPECT_EQ(memory_bits(sample.params), sample.memory_bits) << sample.params.to_string();
    EXPECT_EQ(AreaTable::shipped().of(sample.params).sram_kib,
              static_cast<double>(sample.memory_bits) / 8192);
  }
}

TEST(Area, NamedConfigurationsAreSynthesized) {
  for (const char* name : config_names()) {
    EXPECT_TRUE(AreaTable::shipped().of(Params::named(name)).synthesized) << name;
  }
}

TEST(Area, EveryConfigurationHasAnArea) {
  const AreaTable& table = AreaTable::shipped();
  std::mt19937 generator(18);
  for (int i = 0; i < 20000; i++) {
    const Params params = random_params(generator);
    const Area area = table.of(params);
    const double elements = params.num_pe * table.processing_element(params);
    EXPECT_GT(area.gate_equivalents, elements + 150e3) << params.to_string();
    EXPECT_LT(area.gate_equivalents, elements + 600e3) << params.to_string();
    EXPECT_GT(area.sram_kib, 1);
    if (!area.synthesized) {
      EXPECT_EQ(area.error, table.error());
    }
  }
}

TEST(Area, WiderAndMoreCostsMore) {
  const AreaTable& table = AreaTable::shipped();
  Params params = Params::named("base");
  params.rows = 64;
  params.queue_depth = 32;
  const double before = table.of(params).gate_equivalents;
  for (const auto& [field, value] :
       {std::pair{&ParameterValues::num_pe, 16u}, std::pair{&ParameterValues::mem_w, 512u}}) {
    Params more = params;
    more.*field = value;
    EXPECT_GT(table.of(more).gate_equivalents, before);
  }
  for (const auto& [field, value] :
       {std::pair{&ParameterValues::tree_w, 42u}, std::pair{&ParameterValues::fp4_dual, 0u}}) {
    Params less = params;
    less.*field = value;
    EXPECT_LT(table.of(less).gate_equivalents, before);
  }
}

TEST(Area, AMalformedTableIsTold) {
  for (const char* text :
       {"", "{}", "{\"version\": 2, \"designs\": []}", "{\"version\": 1, \"designs\": []}",
        "{\"version\": 1, \"designs\": [{\"parameters\": {\"NUM_PE\": 3}, \"memory_bits\": 1, "
        "\"blocks\": {}}]}"}) {
    try {
      AreaTable::from_json(text, "my.json");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      const std::string wanted =
          *text == 0 ? "my.json:1: not valid JSON" : "my.json: not a table of areas: ";
      EXPECT_EQ(std::string(error.what()).rfind(wanted, 0), 0u) << error.what();
    }
  }
}

}  // namespace
}  // namespace mxe::explore
