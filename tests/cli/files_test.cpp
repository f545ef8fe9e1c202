// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/files/files.h"

#include <string>
#include <vector>

#include "model/numerics/files/npy.h"
#include "model/numerics/files/safetensors.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

const std::string kCorpus = MXE_SOURCE_DIR "/tests/unit/numerics/fuzz/";
const std::string kStored = kCorpus + "corpus_npz/stored.npz";
const std::string kDeflated = kCorpus + "corpus_npz/deflated.npz";

std::string safetensors(const std::string& header, const std::string& data) {
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  return file + header + data;
}

class Files : public CliTest {
 protected:
  std::vector<uint8_t> codes(const std::vector<std::string>& input,
                             const std::vector<std::size_t>& shape) {
    std::vector<std::string> arguments{"quantize"};
    arguments.insert(arguments.end(), input.begin(), input.end());
    arguments.insert(arguments.end(), {"--format", "mxfp4_e2m1", "--elements", path("e.npy")});
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_bytes("e.npy", shape);
  }
};

// numpy saved 1, -0.75, 0.5 and 6 as float32, and each sixteen times as float16.
TEST_F(Files, NpzStoredAndDeflated) {
  const std::vector<uint8_t> expected{2, 10, 1, 7};
  EXPECT_EQ(codes({kStored, "--tensor", "x"}, {4}), expected);
  const std::vector<uint8_t> many = codes({kDeflated, "--tensor", "x"}, {2, 32});
  for (std::size_t i = 0; i < many.size(); i++) {
    // Each row is a block; the first one has amax 1.
    EXPECT_EQ(many[i], (std::vector<uint8_t>{6, 13, 1, 7})[i / 16]) << i;
  }
  expect_error({"quantize", kStored, "--format", "mxint8"},
               "--tensor NAME is needed (allowed: x, n)");
  expect_error({"quantize", kStored, "--format", "mxint8", "--tensor", "y"},
               "there is no tensor 'y' (allowed: x, n)");
  expect_error({"quantize", kStored, "--format", "mxint8", "--tensor", "n"},
               "array 'n': type '<i8' is not supported");
}

TEST_F(Files, DamagedNpz) {
  std::string file;
  for (const uint8_t byte : numerics::read_file(kStored)) file += static_cast<char>(byte);
  const std::vector<std::string> command{"quantize", path("x.npz"), "--format",
                                         "mxint8",   "--tensor",    "x"};
  write_text("x.npz", file.substr(0, file.size() - 30));
  expect_error(command, "x.npz: not an .npz file");
  std::string flipped = file;
  flipped[flipped.find("NUMPY") + 127 + 2] ^= 1;  // one bit of the first number
  write_text("x.npz", flipped);
  expect_error(command, "CRC error");
}

TEST_F(Files, OperandsFromFilesOfTensors) {
  write_text("w.safetensors",
             safetensors(R"({"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                         R"("b":{"dtype":"BF16","shape":[2,1],"data_offsets":[8,12]}})",
                         std::string("\0\0\x80\x3F\0\0\0\x40\x40\x40\x80\x40", 12)));
  write_floats("b.npy", {3, 4}, {2, 1});
  const std::string file = path("w.safetensors");
  const auto product = [this](std::vector<std::string> more) {
    std::vector<std::string> arguments{"matmul",     "--on",   "golden",   "--format-a", "mxint8",
                                       "--format-b", "mxint8", "--output", path("c.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_floats("c.npy", {1, 1});
  };
  EXPECT_EQ(product({file, file, "--tensor", "a", "--tensor", "b"}), std::vector<float>{11});
  EXPECT_EQ(product({file, path("b.npy"), "--tensor", "a"}), std::vector<float>{11});
  feed(file);
  EXPECT_EQ(product({"-", "-", "--tensor", "a", "--tensor", "b"}), std::vector<float>{11});
  expect_error({"matmul", file, file, "--tensor", "a", "--on", "golden", "--format-a", "mxint8",
                "--format-b", "mxint8"},
               "--tensor NAME is needed (allowed: a, b)");
}

TEST_F(Files, CodesFromFilesOfTensors) {
  // 2 codes of E2M1 a byte, the first one in the low nibble; scales 1 and 2.
  feed(kCorpus + "corpus_safetensors/codes");
  const std::vector<std::string> command{"dequantize",  "--elements", "-",          "--scales",
                                         "-",           "--format",   "mxfp4_e2m1", "--output",
                                         path("d.npy"), "--block",    "2"};
  const ProgramRun run = mxe(command);
  EXPECT_EQ(run.exit_code, 1 + 1) << "scales [2] are not [2, 1]";
  write_text("c.safetensors",
             safetensors(R"({"c":{"dtype":"F4","shape":[2,2],"data_offsets":[0,2]},)"
                         R"("s":{"dtype":"F8_E8M0","shape":[2,1],"data_offsets":[2,4]}})",
                         "\x21\xF4\x7F\x80"));
  feed(path("c.safetensors"));
  std::vector<std::string> named = command;
  named.insert(named.end(), {"--tensor", "c", "--tensor", "s"});
  const ProgramRun second = mxe(named);
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(read_floats("d.npy", {2, 2}), (std::vector<float>{0.5f, 1, 4, -12}));
}

TEST_F(Files, StandardInputOfEveryKind) {
  const std::vector<uint8_t> expected{2, 10, 1, 7};
  write_floats("x.npy", {1, -0.75f, 0.5f, 6}, {4});
  feed(path("x.npy"));
  EXPECT_EQ(codes({"-"}, {4}), expected);
  feed(kStored);
  EXPECT_EQ(codes({"-", "--tensor", "x"}, {4}), expected);
  feed("/dev/null");
  expect_error({"quantize", "-", "--format", "mxint8"}, "-: not a .npy file");
}

TEST_F(Files, WritesTensorsWithTheirTypes) {
  write_floats("x.npy", {1, -0.75f, 0.5f, 6, 1, 2, 3, 4}, {2, 4});
  struct Case {
    const char* format;
    const char* elements;  // the type in the file
    const char* scales;
  };
  const Case cases[] = {{"mxfp4_e2m1", "F4", "F8_E8M0"},      {"mxfp8_e4m3", "F8_E4M3", "F8_E8M0"},
                        {"mxfp8_e5m2", "F8_E5M2", "F8_E8M0"}, {"mxfp6_e2m3", "U8", "F8_E8M0"},
                        {"mxint8", "I8", "F8_E8M0"},          {"nvfp4", "F4", "F8_E4M3"},
                        {"int12", "U16", "F8_E8M0"},          {"e3m1", "U8", "F8_E8M0"}};
  const std::string file = path("q.safetensors");
  for (const Case& expected : cases) {
    SCOPED_TRACE(expected.format);
    EXPECT_EQ(mxe({"quantize", path("x.npy"), "--format", expected.format, "--elements", file,
                   "--scales", file, "--dequantized", path("d.npy")})
                  .exit_code,
              0);
    const std::vector<uint8_t> bytes = numerics::read_file(file);
    const auto tensor = [&bytes](const std::string& name) {
      return numerics::parse_safetensors(bytes.data(), bytes.size(), "q", name).at(0);
    };
    EXPECT_EQ(tensor("elements").dtype, expected.elements);
    EXPECT_EQ(tensor("elements").array.shape, (std::vector<std::size_t>{2, 4}));
    EXPECT_EQ(tensor("scales").dtype, expected.scales);
    const ProgramRun run = mxe({"dequantize", "--elements", file, "--scales", file, "--format",
                                expected.format, "--output", path("d2.npy")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
  }
}

TEST_F(Files, FirstElementInTheLowNibble) {
  write_floats("x.npy", {1, -0.75f, 0.5f, 6}, {4});
  const std::string file = path("q.safetensors");
  EXPECT_EQ(
      mxe({"quantize", path("x.npy"), "--format", "mxfp4_e2m1", "--elements", file}).exit_code, 0);
  const std::string text = read_text("q.safetensors");
  EXPECT_EQ(text.size() % 8, 2u);  // header padded to a multiple of 8, 2 bytes of data
  EXPECT_EQ(text.substr(text.size() - 2), "\xA2\x71");
  write_floats("x.npy", {1, 2, 3}, {3});
  expect_error({"quantize", path("x.npy"), "--format", "mxfp4_e2m1", "--elements", file},
               "F4 needs an even last axis");
  EXPECT_EQ(mxe({"quantize", path("x.npy"), "--format", "mxfp4_e2m1", "--pack", "low", "--elements",
                 file})
                .exit_code,
            0);
  EXPECT_NE(read_text("q.safetensors").find("\"U8\",\"shape\":[2]"), std::string::npos);
}

TEST_F(Files, StandardOutput) {
  write_floats("x.npy", {1, -0.75f, 0.5f, 6}, {4});
  const std::vector<std::string> quantize{"quantize", path("x.npy"), "--format", "mxfp8_e4m3",
                                          "--dequantized"};
  const auto with = [&quantize](std::vector<std::string> more) {
    std::vector<std::string> arguments = quantize;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  EXPECT_EQ(mxe(with({path("d.npy")})).exit_code, 0);
  const ProgramRun one = mxe(with({"-"}));
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(one.out, read_text("d.npy"));
  EXPECT_EQ(one.err, "[4] as mxfp8_e4m3: 1 blocks of 32 along axis 0\n");
  const ProgramRun both = mxe(
      {"quantize", path("x.npy"), "--format", "mxfp8_e4m3", "--elements", "-", "--scales", "-"});
  write_text("pipe", both.out);
  feed(path("pipe"));
  const ProgramRun back = mxe({"dequantize", "--elements", "-", "--scales", "-", "--format",
                               "mxfp8_e4m3", "--output", "-"});
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_EQ(back.out, read_text("d.npy"));
  expect_error(with({path("d.npz")}), ".npz files are only read");
  expect_error(with({path("d.npy"), "--elements", path("d.npy")}), "need a file each");
}

TEST_F(Files, TypedCodes) {
  write_floats("x.npy", {1, -0.75f, 0.5f, 6}, {4});
  const auto description = [this](const std::string& format, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"quantize",   path("x.npy"), "--format", format,
                                       "--elements", path("e.npy"), "--scales", path("s.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_text("e.npy").substr(21, 3) + read_text("s.npy").substr(21, 3);
  };
  EXPECT_EQ(description("mxfp8_e5m2", {}), "|u1|u1");
  EXPECT_EQ(description("mxfp8_e5m2", {"--typed"}), "<f1<V1");
  EXPECT_EQ(description("mxfp8_e4m3", {"--typed"}), "<V1<V1");
  EXPECT_EQ(description("mxfp4_e2m1", {"--typed"}), "<V1<V1");
  EXPECT_EQ(description("mxint8", {"--typed"}), "|i1<V1");
  const ProgramRun run = mxe({"dequantize", "--elements", path("e.npy"), "--scales", path("s.npy"),
                              "--format", "mxint8", "--output", path("d.npy")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_floats("d.npy", {4}), (std::vector<float>{1, -0.75f, 0.5f, 6}));
  const auto bad = [this](const std::string& format, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"quantize", path("x.npy"), "--format", format, "--typed"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  expect_error(bad("mxfp4_e1m2", {}), "ml_dtypes has no type for the codes of mxfp4_e1m2");
  expect_error(bad("mxfp8_e5m2", {"--scale-format", "e5m0"}), "no type for the codes of e5m0");
  expect_error(bad("mxfp4_e2m1", {"--pack", "low"}), "--typed and --pack exclude each other");
}

TEST_F(Files, SwizzledScales) {
  write_random("x.npy", {3, 44, 160}, 9);  // 132 rows of 5 scales: 2 x 2 tiles
  const std::vector<std::string> quantize{"quantize",   path("x.npy"), "--format", "mxfp8_e4m3",
                                          "--elements", path("e.npy"), "--scales", path("s.npy")};
  EXPECT_EQ(mxe(quantize).exit_code, 0);
  const std::vector<uint8_t> plain = read_bytes("s.npy", {3, 44, 5});
  const auto dequantize = [this](const std::string& output, std::vector<std::string> more) {
    std::vector<std::string> arguments{"dequantize", "--elements",  path("e.npy"),
                                       "--scales",   path("s.npy"), "--format",
                                       "mxfp8_e4m3", "--output",    path(output)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  EXPECT_EQ(mxe(dequantize("d.npy", {})).exit_code, 0);
  std::vector<std::string> swizzled = quantize;
  swizzled.insert(swizzled.end(), {"--swizzle", "32x4x4"});
  EXPECT_EQ(mxe(swizzled).exit_code, 0);
  const std::vector<uint8_t> tiles = read_bytes("s.npy", {2048});
  EXPECT_EQ(tiles[0], plain[0]);
  EXPECT_EQ(tiles[4 * 1 + 3], plain[32 * 5 + 3]);  // row 32 is next to row 0
  EXPECT_EQ(tiles[16 * 7 + 4 * 2 + 1], plain[71 * 5 + 1]);
  EXPECT_EQ(tiles[512 + 16], plain[1 * 5 + 4]);  // the next tile of columns
  EXPECT_EQ(tiles[1024 + 16 * 3 + 2], plain[131 * 5 + 2]);
  EXPECT_EQ(tiles[1024 + 16 * 4], 0);  // padding
  EXPECT_EQ(mxe(dequantize("d2.npy", {"--swizzle", "32x4x4"})).exit_code, 0);
  EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
  expect_error(dequantize("o.npy", {"--swizzle", "32x4x4", "--block", "16"}),
               "scales of shape [3, 44, 10] are 3072 bytes with --swizzle, not 2048");
  expect_error(dequantize("o.npy", {"--swizzle", "32x4x4", "--axis", "0"}), "along the last axis");
  swizzled.insert(swizzled.end(), {"--axis", "0"});
  expect_error(swizzled, "along the last axis");
  swizzled.back() = "-1";
  swizzled[9] = "64x4";
  expect_error(swizzled, "32x4x4");
}

}  // namespace
}  // namespace mxe::test
