// SPDX-License-Identifier: Apache-2.0
// Kinds of files: .npz and .safetensors, standard input and output.
#include "model/numerics/files.h"

#include <string>
#include <vector>

#include "model/numerics/npy.h"
#include "model/numerics/safetensors.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

const std::string kCorpus = MXE_SOURCE_DIR "/tests/unit/numerics/fuzz/";
const std::string kStored = kCorpus + "corpus_npz/stored.npz";
const std::string kDeflated = kCorpus + "corpus_npz/deflated.npz";

/// A file of tensors: header, then data.
std::string safetensors(const std::string& header, const std::string& data) {
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  return file + header + data;
}

class Files : public CliTest {
 protected:
  /// The codes that an array of floats gets.
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

// numpy saved 1, -0.75, 0.5 and 6 as float32, and sixteen times each as float16.
TEST_F(Files, NpzStoredAndDeflated) {
  const std::vector<uint8_t> expected{2, 10, 1, 7};
  EXPECT_EQ(codes({kStored, "--tensor", "x"}, {4}), expected);
  const std::vector<uint8_t> many = codes({kDeflated, "--tensor", "x"}, {2, 32});
  for (std::size_t i = 0; i < many.size(); i++) {
    // Blocks of a row each: in the first one, amax is 1.
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
  for (const uint8_t byte : mx::read_file(kStored)) file += static_cast<char>(byte);
  const std::vector<std::string> command{"quantize", path("x.npz"), "--format",
                                         "mxint8",   "--tensor",    "x"};
  write_text("x.npz", file.substr(0, file.size() - 30));
  expect_error(command, "x.npz: not an .npz file");
  std::string flipped = file;
  flipped[flipped.find("NUMPY") + 122 + 2] ^= 1;  // the first number
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

}  // namespace
}  // namespace mxe::test
