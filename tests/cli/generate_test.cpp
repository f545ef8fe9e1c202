// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

class Generate : public CliTest {
 protected:
  ProgramRun generate(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "generate");
    arguments.insert(arguments.end(), {"--data-root", path("out")});
    return mxe(arguments);
  }
  std::string file(const std::string& name) { return read_text("out/data/" + name); }
};

TEST_F(Generate, SmallMatricesByHand) {
  write_floats("a.npy", {1, 2, 3, 4, -6, 1}, {2, 3});
  write_floats("b.npy", {1, 0.5f, 2}, {3, 1});
  const ProgramRun run =
      generate({"2", "1", "3", "0", "1", "--a", path("a.npy"), "--b", path("b.npy")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  // Two E2M1 codes a byte. Scales of A's rows 2^-1, 2^0, of B 2^-1; each padded to two with 2^0.
  EXPECT_EQ(file("input/a_8.bin"), std::string("\x64\x07\xF6\x02", 4));
  EXPECT_EQ(file("input/a_scale.bin"), "\x7E\x7F\x7F\x7F");
  EXPECT_EQ(file("input/b_8.bin"), std::string("\x24\x06", 2));
  EXPECT_EQ(file("input/b_scale.bin"), "\x7E\x7F");
  const std::string golden = file("golden/expected_data.bin");
  ASSERT_EQ(golden.size(), 8u);
  float values[2];
  std::memcpy(values, golden.data(), sizeof values);
  EXPECT_EQ(values[0], 1 + 1 + 6);
  EXPECT_EQ(values[1], 4 - 3 + 2);
}

TEST_F(Generate, SizesAndSeeds) {
  const std::vector<std::string> shape{"16", "24", "100", "1", "0"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), shape.begin(), shape.end());
    EXPECT_EQ(generate(more).exit_code, 0);
    return file("input/a_8.bin");
  };
  const std::string first = with({"--format", "mxfp8_e4m3"});
  EXPECT_EQ(first.size(), 1600u);
  EXPECT_EQ(file("input/b_8.bin").size(), 2400u);
  EXPECT_EQ(file("input/a_scale.bin").size(), 16u * 4);
  EXPECT_EQ(file("input/b_scale.bin").size(), 24u * 4);
  EXPECT_EQ(file("golden/expected_data.bin").size(), 16u * 24 * 4);
  EXPECT_EQ(with({"--format", "mxfp8_e4m3"}), first);
  EXPECT_NE(with({"--format", "mxfp8_e4m3", "--seed", "2"}), first);
}

TEST_F(Generate, Json) {
  const nlohmann::json json =
      mxe_json({"generate", "2", "3", "64", "0", "1", "--data-root", path("out")});
  EXPECT_EQ(json.at("m"), 2);
  EXPECT_EQ(json.at("trans_b"), true);
  EXPECT_EQ(json.at("files").size(), 5u);
  EXPECT_EQ(json.at("files").at(path("out") + "/data/input/a_8.bin"), 64);
}

TEST_F(Generate, BadInput) {
  expect_error({"generate", "2", "3", "0", "0", "1"}, "K");
  expect_error({"generate", "2", "3", "64", "0"}, "TRANS_B is required");
  expect_error({"generate", "2", "3", "64", "0", "1", "--format", "mxint8"}, "mxint8");
  write_random("a.npy", {3, 64}, 1);
  expect_error({"generate", "2", "3", "64", "0", "1", "--a", path("a.npy")},
               "the matrix must be [2, 64], but is [3, 64]");
}

}  // namespace
}  // namespace mxe::test
