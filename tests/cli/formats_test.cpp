// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Formats = CliTest;

TEST_F(Formats, LimitsOfEveryFormat) {
  struct Expected {
    const char* name;
    int bits, emax;
    double max, min_normal, min_subnormal;
    bool has_inf, has_nan;
    int block;
    const char* scale;
    double bits_per_element;
  };
  const Expected expected[] = {
      {"mxfp4_e2m1", 4, 2, 6, 1, 0.5, false, false, 32, "e8m0", 4.25},
      {"mxfp4_e1m2", 4, 0, 1.75, 1, 0.25, false, false, 32, "e8m0", 4.25},
      {"mxfp6_e2m3", 6, 2, 7.5, 1, 0.125, false, false, 32, "e8m0", 6.25},
      {"mxfp6_e3m2", 6, 4, 28, 0.25, 0.0625, false, false, 32, "e8m0", 6.25},
      {"mxfp8_e4m3", 8, 8, 448, 0x1p-6, 0x1p-9, false, true, 32, "e8m0", 8.25},
      {"mxfp8_e5m2", 8, 15, 57344, 0x1p-14, 0x1p-16, true, true, 32, "e8m0", 8.25},
      {"mxint8", 8, 0, 1.984375, 0x1p-6, 0x1p-6, false, false, 32, "e8m0", 8.25},
      {"nvfp4", 4, 2, 6, 1, 0.5, false, false, 16, "e4m3", 4.5}};
  const nlohmann::json formats = mxe_json({"formats"}).at("formats");
  ASSERT_EQ(formats.size(), std::size(expected));
  for (std::size_t i = 0; i < formats.size(); i++) {
    const nlohmann::json& format = formats[i];
    SCOPED_TRACE(expected[i].name);
    EXPECT_EQ(format.at("name"), expected[i].name);
    EXPECT_EQ(format.at("bits"), expected[i].bits);
    EXPECT_EQ(format.at("emax"), expected[i].emax);
    EXPECT_EQ(format.at("max"), expected[i].max);
    EXPECT_EQ(format.at("min_normal"), expected[i].min_normal);
    EXPECT_EQ(format.at("min_subnormal"), expected[i].min_subnormal);
    EXPECT_EQ(format.at("has_inf"), expected[i].has_inf);
    EXPECT_EQ(format.at("has_nan"), expected[i].has_nan);
    EXPECT_EQ(format.at("block"), expected[i].block);
    EXPECT_EQ(format.at("scale"), expected[i].scale);
    EXPECT_EQ(format.at("bits_per_element"), expected[i].bits_per_element);
    EXPECT_EQ(format.at("compression_fp32"), 32 / expected[i].bits_per_element);
  }
}

TEST_F(Formats, PresetsCanBeUsed) {
  write_floats("x.npy", {1, 2, 3}, {3});
  const nlohmann::json presets = mxe_json({"formats"}).at("presets");
  EXPECT_GT(presets.size(), 30u);
  for (const std::string preset : presets) {
    const char* format = preset.rfind("nvfp4", 0) == 0 ? "nvfp4" : "mxfp4_e2m1";
    if (preset == "modelopt-mxfp8") format = "mxfp8_e4m3";
    const ProgramRun run = mxe({"quantize", path("x.npy"), "--format", format, "--preset", preset});
    EXPECT_EQ(run.exit_code, 0) << preset << ": " << run.err;
  }
}

TEST_F(Formats, TableNamesEveryFormat) {
  const ProgramRun run = mxe({"formats"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.out.find("torchao up to 0.18.0"), std::string::npos);
  EXPECT_EQ(mxe_json({"formats"}).at("releases").size(),
            mxe_json({"formats"}).at("presets").size());
  for (const char* name : {"mxfp4_e2m1", "mxfp4_e1m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp8_e4m3",
                           "mxfp8_e5m2", "mxint8", "nvfp4"}) {
    EXPECT_NE(run.out.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace mxe::test
