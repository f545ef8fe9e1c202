// SPDX-License-Identifier: Apache-2.0
#include "sw/report/layers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mxe::report {
namespace {

using Json = nlohmann::ordered_json;

Json point(const std::string& id, std::size_t layers, bool on_front = false) {
  Json made{{"id", id}, {"layers", Json::array()}};
  for (std::size_t i = 0; i < layers; i++) {
    made["layers"].push_back({{"name", "l" + std::to_string(i)},
                              {"m", 7},
                              {"cycles", 100 + i},
                              {"stalls", {{"stall_a", i}, {"idle", 3}}}});
  }
  if (on_front) made["pareto"] = {"area-latency"};
  return made;
}

TEST(LimitLayers, PointsOnAFrontComeFirst) {
  std::vector<Json> points{point("a", 3), point("b", 3), point("c", 3, true)};
  EXPECT_EQ(limit_layers(points, 6), 1u);
  EXPECT_TRUE(points[0].contains("layers"));
  EXPECT_FALSE(points[1].contains("layers"));
  EXPECT_TRUE(points[2].contains("layers"));
}

TEST(LimitLayers, NothingIsTakenWhereAllFit) {
  std::vector<Json> points{point("a", 3), point("b", 0), Json{{"id", "c"}}};
  EXPECT_EQ(limit_layers(points, 3), 0u);
  EXPECT_EQ(points[0].at("layers").size(), 3u);
}

TEST(PackLayers, WhatIsCommonIsKeptOnce) {
  std::vector<Json> points{point("a", 2), point("b", 2), Json{{"id", "c"}}};
  points[1]["layers"][0]["stalls"] = {{"stall_b", 9}};
  const Json key = pack_layers(points);
  EXPECT_EQ(key.at("common").size(), 2u);
  EXPECT_EQ(key.at("common")[1].dump(), R"({"name":"l1","m":7})");
  EXPECT_EQ(key.at("stalls").dump(), R"(["stall_a","idle","stall_b"])");
  EXPECT_EQ(key.at("figures")[0], "cycles");
  EXPECT_EQ(points[0].at("layers")[1].dump(), "[1,101,null,null,null,null,null,null,1,3]");
  EXPECT_EQ(points[1].at("layers")[0].dump(), "[0,100,null,null,null,null,null,null,0,0,9]");
}

}  // namespace
}  // namespace mxe::report
