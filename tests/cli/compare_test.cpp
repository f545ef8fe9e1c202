// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Compare = CliTest;

TEST_F(Compare, MoreBitsLoseLess) {
  write_random("x.npy", {16, 64}, 31);
  const nlohmann::json formats =
      mxe_json({"compare", path("x.npy"), "--formats", "mxfp4_e2m1,mxfp6_e2m3,mxint8"})
          .at("formats");
  ASSERT_EQ(formats.size(), 3u);
  EXPECT_EQ(formats[0].at("format"), "mxfp4_e2m1");
  EXPECT_LT(formats[0].at("sqnr_db"), formats[1].at("sqnr_db"));
  EXPECT_LT(formats[1].at("sqnr_db"), formats[2].at("sqnr_db"));
  EXPECT_GT(formats[0].at("max_error"), formats[2].at("max_error"));
}

TEST_F(Compare, AgreesWithQuantize) {
  write_random("x.npy", {5, 70}, 32);
  for (const nlohmann::json& format : mxe_json({"compare", path("x.npy")}).at("formats")) {
    const nlohmann::json stats =
        mxe_json({"quantize", path("x.npy"), "--format", format.at("format"), "--stats"})
            .at("stats");
    EXPECT_EQ(format.at("sqnr_db"), stats.at("sqnr_db"));
    EXPECT_EQ(format.at("clipped"), stats.at("clipped"));
  }
}

TEST_F(Compare, Presets) {
  write_random("x.npy", {5, 64}, 33);
  const nlohmann::json both = mxe_json({"compare", path("x.npy"), "--formats",
                                        "mxfp4_e2m1,mxfp8_e4m3", "--presets", "ocp,torchao-rceil"})
                                  .at("formats");
  ASSERT_EQ(both.size(), 4u);
  for (const nlohmann::json& one : both) {
    const nlohmann::json stats = mxe_json({"quantize", path("x.npy"), "--format", one.at("format"),
                                           "--preset", one.at("preset"), "--stats"})
                                     .at("stats");
    EXPECT_EQ(one.at("sqnr_db"), stats.at("sqnr_db")) << one.dump();
  }
  EXPECT_NE(both[0].at("sqnr_db"), both[1].at("sqnr_db"));
  // By default the formats that every named preset has: torchao has no integers, NVFP4 only E2M1.
  EXPECT_EQ(mxe_json({"compare", path("x.npy"), "--presets", "torchao-floor"}).at("formats").size(),
            6u);
  EXPECT_EQ(mxe_json({"compare", path("x.npy"), "--presets", "nvfp4-te"}).at("formats").size(), 2u);
  expect_error({"compare", path("x.npy"), "--formats", "mxint8", "--presets", "torchao-floor"},
               "does not produce");
  expect_error({"compare", path("x.npy"), "--presets", "torchao"}, "nearest: torchao-floor");
}

TEST_F(Compare, Safetensors) {
  const std::string header = R"({"w":{"dtype":"F32","shape":[32],"data_offsets":[0,128]},)"
                             R"("v":{"dtype":"BF16","shape":[1,32],"data_offsets":[128,192]}})";
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  file += header;
  for (int i = 0; i < 32; i++) file += std::string("\x00\x00\x80\x3F", 4);
  for (int i = 0; i < 32; i++) file += "\x80\x3F";
  write_text("x.safetensors", file);
  const std::vector<std::string> command{"compare", path("x.safetensors"), "--formats", "mxint8"};
  const nlohmann::json tensors = mxe_json(command).at("tensors");
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].at("name"), "v");
  EXPECT_EQ(tensors[0].at("shape"), (std::vector<int>{1, 32}));
  EXPECT_EQ(tensors[1].at("name"), "w");
  EXPECT_EQ(tensors[1].at("formats")[0].at("max_error"), 0);
  const ProgramRun run = mxe(command);
  EXPECT_NE(run.out.find("v [1, 32]"), std::string::npos) << run.out;
  write_text("bad.safetensors", file.substr(0, 40));
  expect_error({"compare", path("bad.safetensors")}, "bad.safetensors");
}

TEST_F(Compare, TableHasEveryFormat) {
  write_random("x.npy", {4, 32}, 33);
  const ProgramRun run = mxe({"compare", path("x.npy")});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* name : {"mxfp4_e2m1", "mxfp4_e1m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp8_e4m3",
                           "mxfp8_e5m2", "mxint8", "nvfp4"}) {
    EXPECT_NE(run.out.find(name), std::string::npos) << name;
  }
}

TEST_F(Compare, BadInput) {
  write_random("x.npy", {4, 32}, 34);
  expect_error({"compare", path("x.npy"), "--formats", "mxint8,fp16"},
               "unknown format 'fp16' (allowed: ");
  expect_error({"compare", path("none.npy")}, "none.npy: cannot open");
}

}  // namespace
}  // namespace mxe::test
