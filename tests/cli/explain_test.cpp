// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

class Explain : public CliTest {
 protected:
  nlohmann::json element(std::vector<std::string> arguments, std::size_t at = 0) {
    arguments.insert(arguments.begin(), "explain");
    return mxe_json(arguments).at("elements").at(at);
  }
};

TEST_F(Explain, WhyIs957QuantizedAs896) {
  const nlohmann::json e = element({"957", "--format", "mxfp8_e4m3"});
  EXPECT_EQ(e.at("scale"), 2);
  EXPECT_EQ(e.at("scale_code"), 128);
  EXPECT_EQ(e.at("quotient"), 478.5);
  EXPECT_EQ(e.at("code"), 0x7E);
  EXPECT_EQ(e.at("value"), 896);
  EXPECT_EQ(e.at("fate"), "clipped");
  const nlohmann::json up = element({"957", "--format", "mxfp8_e4m3", "--preset", "ocp-rceil"});
  EXPECT_EQ(up.at("scale"), 4);
  EXPECT_EQ(up.at("value"), 960);
  EXPECT_EQ(up.at("fate"), "rounded up");
  const ProgramRun text = mxe({"explain", "957", "--format", "mxfp8_e4m3"});
  EXPECT_NE(text.out.find("957 is quantized as 896"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("beyond the largest value 448"), std::string::npos) << text.out;
}

TEST_F(Explain, EveryFate) {
  const std::vector<std::string> values{"4", "1.25", "0.9", "0.01", "-1.1", "nan"};
  std::vector<std::string> arguments{"--format", "mxfp4_e2m1", "--preset", "pychop"};
  arguments.insert(arguments.end(), values.begin(), values.end());
  const char* fates[] = {"exact",           "rounded down", "rounded up",
                         "flushed to zero", "rounded down", "special"};
  for (std::size_t i = 0; i < values.size(); i++) {
    EXPECT_EQ(element(arguments, i).at("fate"), fates[i]) << values[i];
  }
  EXPECT_EQ(element(arguments, 1).at("tie"), true);
  EXPECT_EQ(element(arguments, 1).at("below"), 1);
  EXPECT_EQ(element(arguments, 1).at("above"), 1.5);
  EXPECT_EQ(element(arguments, 2).at("tie"), false);
}

TEST_F(Explain, ElementOfAFile) {
  write_random("x.npy", {3, 40}, 41);
  const std::vector<float> x = read_floats("x.npy", {3, 40});
  ASSERT_EQ(mxe({"quantize", path("x.npy"), "--format", "nvfp4", "--elements", path("e.npy"),
                 "--dequantized", path("d.npy")})
                .exit_code,
            0);
  const std::vector<uint8_t> codes = read_bytes("e.npy", {3, 40});
  const std::vector<float> values = read_floats("d.npy", {3, 40});
  for (const std::size_t at : {std::size_t{0}, std::size_t{57}, std::size_t{119}}) {
    const nlohmann::json e =
        element({"--from", path("x.npy"), "--at", std::to_string(at), "--format", "nvfp4"});
    EXPECT_EQ(e.at("input").get<float>(), x[at]);
    EXPECT_EQ(e.at("code"), codes[at]);
    EXPECT_EQ(e.at("value").get<float>(), values[at]);
    EXPECT_EQ(e.at("block"), at / 40 * 3 + at % 40 / 16);
  }
}

TEST_F(Explain, BadInput) {
  write_floats("x.npy", {1, 2}, {2});
  expect_error({"explain", "--format", "mxint8"}, "--from FILE");
  expect_error({"explain", "1", "--format", "mxint8", "--at", "0"}, "--at is for --from");
  expect_error({"explain", "--from", path("x.npy"), "--format", "mxint8"}, "--at I");
  expect_error({"explain", "--from", path("x.npy"), "--at", "2", "--format", "mxint8"},
               "no element 2 (allowed: 0 to 1)");
  expect_error({"explain", "word", "--format", "mxint8"}, "word");
}

class Diff : public CliTest {};

TEST_F(Diff, NamesTheSwitch) {
  // Rule floor clips 7, so the scale rules differ.
  std::vector<float> x(64, 1.0f);
  x[3] = 7.0f;
  write_floats("x.npy", x, {2, 32});
  const nlohmann::json diff =
      mxe_json({"diff", path("x.npy"), "--format", "mxfp4_e2m1", "--presets", "ocp", "ocp-rceil"});
  EXPECT_EQ(diff.at("elements"), 64);
  EXPECT_EQ(diff.at("differing"), 32);
  EXPECT_EQ(diff.at("scales"), 32);
  ASSERT_EQ(diff.at("causes").size(), 1u);
  EXPECT_EQ(diff.at("causes")[0].at("switch"), "scale_rule");
  EXPECT_EQ(diff.at("causes")[0].at("elements"), 32);
  EXPECT_EQ(diff.at("shown")[3].at("a").at("value"), 6);
  EXPECT_EQ(diff.at("shown")[3].at("b").at("value"), 8);
  EXPECT_EQ(diff.at("shown")[3].at("cause"), "scale_rule");
}

TEST_F(Diff, OrderOfProducts) {
  write_random("x.npy", {16, 64}, 42);
  const nlohmann::json diff = mxe_json({"diff", path("x.npy"), "--format", "nvfp4", "--presets",
                                        "nvfp4-modelopt,nvfp4-modelopt_old", "--show", "0"});
  EXPECT_EQ(diff.at("differing"), 0);
  EXPECT_TRUE(diff.at("shown").empty());
  const ProgramRun text =
      mxe({"diff", path("x.npy"), "--format", "nvfp4", "--presets", "nvfp4-torchao2", "nvfp4-te"});
  EXPECT_NE(text.out.find("value_order"), std::string::npos) << text.out;
}

TEST_F(Diff, BadInput) {
  write_floats("x.npy", {1, 2}, {2});
  expect_error({"diff", path("x.npy"), "--format", "mxint8", "--presets", "ocp"}, "--presets");
  expect_error({"diff", path("x.npy"), "--format", "mxint8", "--presets", "ocp", "nvfp4-te"},
               "does not produce");
}

}  // namespace
}  // namespace mxe::test
