// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Usage = CliTest;

TEST_F(Usage, HelpIsSuccess) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"demo", "--help"},
                                                    {"formats", "--help"},
                                                    {"quantize", "--help"},
                                                    {"dequantize", "--help"},
                                                    {"matmul", "--help"},
                                                    {"estimate", "--help"}}) {
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_NE(run.out.find("Usage: mxe"), std::string::npos) << run.out;
    EXPECT_EQ(run.err, "");
  }
}

TEST_F(Usage, VersionNamesWhatItWasMadeWith) {
  const ProgramRun run = mxe({"--version"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out.rfind("mxe 0.", 0), 0u) << run.out;
  for (const char* part : {"(commit ", "\ncompiler ", "\nSystemC 2.", "\nVerilator "}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << " is missing in " << run.out;
  }
}

TEST_F(Usage, UnknownWordsNameTheSubcommands) {
  expect_error({},
               "allowed: demo, formats, quantize, dequantize, compare, explain, diff, generate, "
               "matmul, estimate");
  expect_error({"frobnicate"}, "'frobnicate' (allowed: demo, formats");
  expect_error({"--frobnicate"}, "'--frobnicate' (allowed: demo, formats");
}

TEST_F(Usage, BadOptions) {
  expect_error({"formats", "--frobnicate"}, "--frobnicate");
  expect_error({"quantize"}, "IN.npy is required");
  expect_error({"quantize", "x.npy"}, "--format is required");
  expect_error({"quantize", "x.npy", "--format", "mxint8", "--axis", "first"}, "first");
  expect_error({"quantize", "x.npy", "--format", "mxint8", "--pack", "middle"}, "none,low,high");
  expect_error({"dequantize", "--elements", "e.npy"}, "required");
  expect_error({"matmul", "a.npy", "b.npy"}, "required");
}

TEST_F(Usage, BadFiles) {
  const auto quantize = [this](const std::string& name) {
    return std::vector<std::string>{"quantize", path(name), "--format", "mxint8"};
  };
  expect_error(quantize("missing.npy"), "missing.npy: cannot open");
  write_text("empty.npy", "");
  expect_error(quantize("empty.npy"), "empty.npy: not a .npy file");
  write_text("text.npy", "1, 2, 3 and no array at all");
  expect_error(quantize("text.npy"), "text.npy: not a .npy file");

  write_floats("good.npy", {1, 2, 3, 4}, {2, 2});
  const std::string good = read_text("good.npy");
  write_text("short.npy", good.substr(0, good.size() - 4));
  expect_error(quantize("short.npy"), "promises 16 bytes of data, the file holds 12");
  write_text("long.npy", good + "more");
  expect_error(quantize("long.npy"), "promises 16 bytes of data, the file holds 20");
  write_text("header.npy", good.substr(0, 20));
  expect_error(quantize("header.npy"), "header.npy: truncated header");

  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  write_text("int.npy", with("<f4", "<i4"));
  expect_error(quantize("int.npy"), "must be float32, float64, float16 or bfloat16, but are int32");
  write_text("complex.npy", with("<f4", "<c8"));
  expect_error(quantize("complex.npy"), "type '<c8' is not supported (allowed: ");
  write_text("huge.npy", with("(2, 2), }              ", "(99999999, 99999999), }"));
  expect_error(quantize("huge.npy"), "huge.npy: the header promises");
}

#ifdef MXE_WITH_RTL
TEST_F(Usage, CosimIsAProgramBesideMxe) {
  std::filesystem::copy_file(MXE_PROGRAM, path("mxe"));
  run_program(path("mxe"));
  expect_error({"cosim", "--seeds", "1"}, "mxe-cosim is not installed");
  EXPECT_EQ(mxe({"formats"}).exit_code, 0) << "the others need no other program";
}
#endif

#ifdef MXE_WITH_SOC
TEST_F(Usage, RunIsAProgramBesideMxe) {
  std::filesystem::copy_file(MXE_PROGRAM, path("mxe"));
  run_program(path("mxe"));
  expect_error({"run", "firmware.elf"}, "mxe-run is not installed");
}
#endif

TEST_F(Usage, UnwritableOutput) {
  write_floats("x.npy", {1, 2}, {2});
  expect_error({"quantize", path("x.npy"), "--format", "mxint8", "--elements",
                path("no/such/directory/e.npy")},
               "no/such/directory/e.npy");
}

}  // namespace
}  // namespace mxe::test
