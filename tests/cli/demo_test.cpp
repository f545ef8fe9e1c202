// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <set>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Demo = CliTest;

TEST_F(Demo, EveryFormatAgreesAndClassifies) {
  const nlohmann::json json = mxe_json({"demo"});
  EXPECT_EQ(json.at("agreed"), true);
  EXPECT_EQ(json.at("config"), "base");
  EXPECT_EQ(json.at("images"), 450);
  EXPECT_EQ(json.at("network"), "64 -> 100 -> 50 -> 10");
  EXPECT_LT(json.at("seconds"), 60.0);
  std::set<std::pair<std::string, std::string>> formats;
  for (const nlohmann::json& result : json.at("results")) {
    formats.emplace(result.at("format_a"), result.at("format_b"));
    SCOPED_TRACE(result.dump());
    EXPECT_GT(result.at("accuracy"), result.at("format_b") == "mxfp4_e2m1" ? 0.90 : 0.97);
    if (result.at("format_a") == "fp32") continue;
    EXPECT_EQ(result.at("agreed"), true);
    EXPECT_GT(result.at("sqnr_db"), 8.0);
    EXPECT_GT(result.at("model_cycles"), 0);
    EXPECT_GT(result.at("utilization"), 0.1);
    EXPECT_LE(result.at("utilization"), 1.0);
#ifdef MXE_WITH_RTL
    EXPECT_EQ(result.at("rtl_cycles"), result.at("model_cycles"));
#endif
  }
  const std::set<std::pair<std::string, std::string>> expected{{"fp32", "fp32"},
                                                               {"mxint8", "mxint8"},
                                                               {"mxfp8_e4m3", "mxfp8_e4m3"},
                                                               {"mxfp6_e2m3", "mxfp6_e2m3"},
                                                               {"mxfp4_e2m1", "mxfp4_e2m1"},
                                                               {"mxfp8_e4m3", "mxfp4_e2m1"}};
  EXPECT_EQ(formats, expected);
}

TEST_F(Demo, Table) {
  const ProgramRun run = mxe({"demo", "--config", "small"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  for (const char* text : {"accuracy", "SQNR", "model cycles", "mxfp6_e2m3", "in every bit"}) {
    EXPECT_NE(run.out.find(text), std::string::npos) << text << " is not in\n" << run.out;
  }
}

TEST_F(Demo, BadData) {
  expect_error({"demo", "--data", path("nowhere")}, "nowhere/test_images.npy: cannot open");
  std::filesystem::copy(MXE_DIGITS_DIR, path("digits"));
  write_random("digits/weight2.npy", {99, 50}, 1);
  expect_error({"demo", "--data", path("digits")},
               "weight2.npy: the weights must be [100, 50], but is [99, 50]");
  expect_error({"demo", "--set", "TREE_W=2"}, "TREE_W");
}

}  // namespace
}  // namespace mxe::test
