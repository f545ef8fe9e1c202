// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/numerics/files/npy.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Bytes = std::vector<uint8_t>;

class Quantize : public CliTest {
 protected:
  /// Quantizes x.npy to e.npy, s.npy, d.npy (codes, scales, values), without a message.
  void quantize(const std::string& format, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"quantize",      path("x.npy"), "--format", format,
                                       "--elements",    path("e.npy"), "--scales", path("s.npy"),
                                       "--dequantized", path("d.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
  }

  void dequantize(const std::string& format, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"dequantize", "--elements",  path("e.npy"),
                                       "--scales",   path("s.npy"), "--format",
                                       format,       "--output",    path("d2.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
};

TEST_F(Quantize, CodesByHand) {
  // amax 4 = 2^2: scale 2^0 (code 127), so codes are those of E2M1; all but 4 and -0 are ties.
  write_floats("x.npy", {4, 0.25f, 0.75f, 1.25f, 1.75f, -2.5f, 3.5f, -0.0f}, {8});
  quantize("mxfp4_e2m1");
  EXPECT_EQ(read_bytes("s.npy", {1}), Bytes{127});
  EXPECT_EQ(read_bytes("e.npy", {8}), (Bytes{6, 0, 2, 2, 4, 0xC, 6, 8}));
  EXPECT_EQ(read_floats("d.npy", {8}), (std::vector<float>{4, 0, 1, 1, 2, -2, 4, -0.0f}));
}

TEST_F(Quantize, IntegersByHand) {
  write_floats("x.npy", {1, -1, 1.9921875f, 0.0078125f, -0.0234375f}, {5});
  quantize("mxint8");
  EXPECT_EQ(read_bytes("s.npy", {1}), Bytes{127});
  EXPECT_EQ(read_bytes("e.npy", {5}), (Bytes{0x40, 0xC0, 0x7F, 0x00, 0xFE}));
}

TEST_F(Quantize, SpecialBlocks) {
  std::vector<float> values(96, 1.0f);
  values[5] = std::numeric_limits<float>::quiet_NaN();
  std::fill(values.begin() + 32, values.begin() + 64, 0.0f);
  values[70] = -std::numeric_limits<float>::infinity();
  write_floats("x.npy", values, {96});
  quantize("mxfp8_e4m3");
  EXPECT_EQ(read_bytes("s.npy", {3}), (Bytes{255, 0, 255}));
  EXPECT_EQ(read_bytes("e.npy", {96}), Bytes(96, 0));
  const std::vector<float> result = read_floats("d.npy", {96});
  EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[95]));
  EXPECT_EQ(result[40], 0.0f);
  dequantize("mxfp8_e4m3");
  EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
}

TEST_F(Quantize, ScaleRules) {
  write_floats("x.npy", {7, 1}, {2});
  quantize("mxfp4_e2m1", {"--scale-rule", "floor"});
  EXPECT_EQ(read_bytes("s.npy", {1}), Bytes{127});
  EXPECT_EQ(read_bytes("e.npy", {2}), (Bytes{7, 2}));
  for (const char* rule : {"ceil", "even", "rceil"}) {
    quantize("mxfp4_e2m1", {"--scale-rule", rule});
    EXPECT_EQ(read_bytes("s.npy", {1}), Bytes{128}) << rule;
    EXPECT_EQ(read_bytes("e.npy", {2}), (Bytes{6, 1})) << rule;
  }
}

TEST_F(Quantize, Rounding) {
  write_floats("x.npy", {4, 0.25f, 1.3f}, {3});
  const std::pair<const char*, Bytes> cases[] = {
      {"rne", {6, 0, 3}}, {"away", {6, 1, 3}}, {"down", {6, 0, 3}}, {"trunc", {6, 0, 2}}};
  for (const auto& [rounding, codes] : cases) {
    quantize("mxfp4_e2m1", {"--round", rounding});
    EXPECT_EQ(read_bytes("e.npy", {3}), codes) << rounding;
  }
}

TEST_F(Quantize, BlocksRunAlongTheAxis) {
  // [40, 2]: along axis 0 the second block of a column starts at row 32.
  std::vector<float> values(80, 1.0f);
  values[2 * 32] = 8;
  values[2 * 39 + 1] = 0.125f;
  write_floats("x.npy", values, {40, 2});
  quantize("mxfp8_e5m2", {"--axis", "0"});
  EXPECT_EQ(read_bytes("s.npy", {2, 2}), (Bytes{112, 112, 115, 112}));
  quantize("mxfp8_e5m2", {"--axis", "-2"});
  EXPECT_EQ(read_bytes("s.npy", {2, 2}), (Bytes{112, 112, 115, 112}));
  quantize("mxfp8_e5m2");
  EXPECT_EQ(read_bytes("s.npy", {40, 1}).at(32), 115);
}

TEST_F(Quantize, Presets) {
  // Quantizers differ for 7, 1, 0.25: scale 2^0 or 2^1; ties to even, away from or toward zero.
  write_floats("x.npy", {7, 1, 0.25f}, {3});
  struct Case {
    const char* preset;
    uint8_t scale;
    Bytes codes;
  };
  const Case cases[] = {{"ocp", 127, {7, 2, 0}},
                        {"ocp-rceil", 128, {6, 1, 0}},
                        {"microxcaling-nearest", 127, {7, 2, 1}},
                        {"torchao-ceil", 128, {6, 1, 0}},
                        {"modelopt-mxfp4", 128, {5, 1, 0}}};
  for (const Case& expected : cases) {
    SCOPED_TRACE(expected.preset);
    quantize("mxfp4_e2m1", {"--preset", expected.preset});
    EXPECT_EQ(read_bytes("s.npy", {1}), Bytes{expected.scale});
    EXPECT_EQ(read_bytes("e.npy", {3}), expected.codes);
  }
  quantize("mxfp4_e2m1", {"--preset", "quark-onnx"});
  EXPECT_EQ(read_floats("s.npy", {1}), std::vector<float>{1});
}

TEST_F(Quantize, BlockSizeAndScaleFormat) {
  write_floats("x.npy", {1, 2, 64, 8, 1}, {5});
  quantize("mxfp8_e5m2", {"--block", "2"});
  EXPECT_EQ(read_bytes("s.npy", {3}), (Bytes{127 + 1 - 15, 127 + 6 - 15, 127 - 15}));
  // The smallest scale of E5M0 is 2^-15, so its codes have the bias 15.
  quantize("mxfp8_e5m2", {"--block", "2", "--scale-format", "e5m0"});
  EXPECT_EQ(read_bytes("s.npy", {3}), (Bytes{15 + 1 - 15, 15 + 6 - 15, 0}));
}

TEST_F(Quantize, CustomFormats) {
  write_floats("x.npy", {1, -0.75f, 0.625f, 1.96875f}, {4});
  quantize("e2m2");  // largest 7, scale 1/4: 1.96875 rounds to 2, which saturates to 1.75
  EXPECT_EQ(read_floats("d.npy", {4}), (std::vector<float>{1, -0.75f, 0.625f, 1.75f}));
  quantize("int12");
  EXPECT_EQ(read_floats("d.npy", {4}), (std::vector<float>{1, -0.75f, 0.625f, 1.96875f}));
  dequantize("int12");
  EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
}

TEST_F(Quantize, Nvfp4) {
  write_random("x.npy", {3, 40}, 15);
  for (const char* preset :
       {"nvfp4-torchao1", "nvfp4-torchao2", "nvfp4-modelopt", "nvfp4-modelopt_old",
        "nvfp4-modelopt-4over6", "nvfp4-te", "nvfp4-te-2d", "nvfp4-te-4over6"}) {
    SCOPED_TRACE(preset);
    quantize("nvfp4", {"--preset", preset});
    read_bytes("s.npy", {3, 3});
    const nlohmann::json json =
        mxe_json({"quantize", path("x.npy"), "--format", "nvfp4", "--preset", preset});
    EXPECT_EQ(json.at("block"), 16);
    EXPECT_EQ(json.at("scale_format"), "e4m3");
    std::vector<std::string> options{"--preset", preset};
    if (std::string(preset).rfind("nvfp4-te", 0) == 0) {
      options.insert(options.end(), {"--tensor-amax", json.at("tensor_amax").dump()});
    } else if (json.contains("tensor_scale")) {
      options.insert(options.end(), {"--tensor-scale", json.at("tensor_scale").dump()});
    }
    dequantize("nvfp4", options);
    EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
  }
}

TEST_F(Quantize, OtherTypesOfInput) {
  write_floats("x.npy", {1, -0.75f, 0.5f, 6}, {4});
  quantize("mxfp4_e2m1");
  const Bytes codes = read_bytes("e.npy", {4});
  const std::string good = read_text("x.npy");
  const auto with = [&good](const std::string& descr, const std::string& data) {
    std::string text = good.substr(0, good.size() - 16) + data;
    return text.replace(text.find("<f4"), 3, descr);
  };
  const std::string bfloat16("\x80\x3F\x40\xBF\x00\x3F\xC0\x40", 8);
  const std::pair<std::string, std::string> files[] = {
      {"<V2", bfloat16},
      {"<f2", std::string("\x00\x3C\x00\xBA\x00\x38\x00\x46", 8)},
      {">f2", std::string("\x3C\x00\xBA\x00\x38\x00\x46\x00", 8)}};
  for (const auto& [descr, data] : files) {
    SCOPED_TRACE(descr);
    write_text("x.npy", with(descr, data));
    quantize("mxfp4_e2m1");
    EXPECT_EQ(read_bytes("e.npy", {4}), codes);
  }
  const std::string header = R"({"a":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]},)"
                             R"("b":{"dtype":"F16","shape":[1],"data_offsets":[8,10]}})";
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  write_text("x.safetensors", file + header + bfloat16 + std::string(2, '\0'));
  const std::vector<std::string> command{"quantize",   path("x.safetensors"), "--format",
                                         "mxfp4_e2m1", "--elements",          path("e.npy")};
  const auto of_tensor = [&command](const std::string& name) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--tensor", name});
    return arguments;
  };
  EXPECT_EQ(mxe(of_tensor("a")).exit_code, 0);
  EXPECT_EQ(read_bytes("e.npy", {4}), codes);
  expect_error(command, "--tensor NAME is needed (allowed: a, b)");
  expect_error(of_tensor("c"), "there is no tensor 'c' (allowed: a, b)");
  expect_error(
      {"quantize", path("x.npy"), "--format", "mxint8", "--tensor", "a"},
      "--tensor a: no file uses this name; allowed: one name per .npz or .safetensors file");
}

TEST_F(Quantize, NarrowValues) {
  // Dequantized E4M3 numbers have 4 significant bits, which the narrow types hold exactly.
  write_floats("x.npy", {1, -0.75f, 0.5f, 6, 0.1f, -0.0f, 3.3f, 100}, {8});
  quantize("mxfp8_e4m3");
  dequantize("mxfp8_e4m3");
  const std::string wide = read_text("d2.npy");
  for (const char* dtype : {"bfloat16", "float16"}) {
    SCOPED_TRACE(dtype);
    dequantize("mxfp8_e4m3", {"--dtype", dtype});
    EXPECT_EQ(read_text("d2.npy").size() + 16, wide.size());
    const numerics::NpyArray narrow = numerics::read_npy(path("d2.npy"));
    EXPECT_EQ(numerics::dtype_name(narrow.dtype), dtype);
    EXPECT_EQ(numerics::to_float32(narrow, dtype), read_floats("d.npy", {8}));
  }
  expect_error({"dequantize", "--elements", path("e.npy"), "--scales", path("s.npy"), "--format",
                "mxfp8_e4m3", "--output", path("o.npy"), "--dtype", "int8"},
               "--dtype");
}

TEST_F(Quantize, TensorAmaxAsGiven) {
  write_floats("x.npy", {1, 2, -0.3f, 0.01f}, {4});
  quantize("nvfp4", {"--tensor-amax", "2688"});  // gives a tensor scale of 1
  EXPECT_EQ(read_floats("d.npy", {4}), (std::vector<float>{1.03125f, 2.0625f, -0.34375f, 0}));
  dequantize("nvfp4", {"--tensor-amax", "2688"});
  EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
  dequantize("nvfp4", {"--tensor-scale", "1"});
  EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
  // A NaN makes the tensor's scale NaN and so all blocks, unless --tensor-amax sets the scale.
  write_floats("x.npy", {1, 2, NAN, 0}, {2, 2});
  quantize("nvfp4", {"--block", "2"});
  for (const float value : read_floats("d.npy", {2, 2})) EXPECT_TRUE(std::isnan(value));
  quantize("nvfp4", {"--block", "2", "--tensor-amax", "2688"});
  EXPECT_EQ(read_floats("d.npy", {2, 2})[1], 2.0625f);
}

TEST_F(Quantize, RowsWithScalesOfTheirOwn) {
  write_random("x.npy", {3, 40}, 15);
  quantize("nvfp4", {"--preset", "nvfp4-te-row", "--row-amax", path("r.npy")});
  read_floats("r.npy", {3});
  dequantize("nvfp4", {"--preset", "nvfp4-te-row", "--row-amax", path("r.npy")});
  EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
}

TEST_F(Quantize, StochasticSeeds) {
  write_random("x.npy", {3, 40}, 15);
  quantize("mxfp4_e2m1", {"--round", "stochastic", "--seed", "3"});
  const Bytes three = read_bytes("e.npy", {3, 40});
  quantize("mxfp4_e2m1", {"--round", "stochastic", "--seed", "3", "--threads", "1"});
  EXPECT_EQ(read_bytes("e.npy", {3, 40}), three);
  quantize("mxfp4_e2m1", {"--round", "stochastic", "--seed", "4"});
  EXPECT_NE(read_bytes("e.npy", {3, 40}), three);
}

TEST_F(Quantize, Stats) {
  write_floats("x.npy", {7, 1, 0.1f, -1}, {4});
  const nlohmann::json stats =
      mxe_json({"quantize", path("x.npy"), "--format", "mxfp4_e2m1", "--stats"}).at("stats");
  EXPECT_EQ(stats.at("elements"), 4);
  EXPECT_EQ(stats.at("clipped"), 1);
  EXPECT_EQ(stats.at("flushed"), 1);
  EXPECT_EQ(stats.at("max_error"), 1);
  EXPECT_NEAR(stats.at("sqnr_db"), 10 * std::log10(51.01 / 1.01), 1e-6);
  EXPECT_EQ(stats.at("scale_histogram"), nlohmann::json({{"0", 1}}));
  const ProgramRun run = mxe({"quantize", path("x.npy"), "--format", "mxfp4_e2m1", "--stats"});
  EXPECT_NE(run.out.find("SQNR"), std::string::npos) << run.out;
}

TEST_F(Quantize, PackedNibbles) {
  write_floats("x.npy", {0.5f, 1, 4, -0.5f, 1.5f, 6}, {2, 3});
  quantize("mxfp4_e2m1");
  EXPECT_EQ(read_bytes("e.npy", {2, 3}), (Bytes{1, 2, 6, 9, 3, 7}));
  quantize("mxfp4_e2m1", {"--pack", "none"});
  EXPECT_EQ(read_bytes("e.npy", {2, 3}), (Bytes{1, 2, 6, 9, 3, 7}));
  quantize("mxfp4_e2m1", {"--pack", "low"});
  EXPECT_EQ(read_bytes("e.npy", {2, 2}), (Bytes{0x21, 0x06, 0x39, 0x07}));
  quantize("mxfp4_e2m1", {"--pack", "high"});
  EXPECT_EQ(read_bytes("e.npy", {2, 2}), (Bytes{0x12, 0x60, 0x93, 0x70}));
}

TEST_F(Quantize, PackedSixBits) {
  // Codes of E2M3 with scale 1: 1 = 0x08, 2 = 0x10, 4 = 0x18, -1 = 0x28, four codes in three bytes.
  write_floats("x.npy", {1, 2, 4, -1, 2}, {5});
  quantize("mxfp6_e2m3", {"--pack", "low"});
  EXPECT_EQ(read_bytes("e.npy", {4}), (Bytes{0x08, 0x84, 0xA1, 0x10}));
}

TEST_F(Quantize, DequantizeGivesTheSameValues) {
  const std::vector<std::size_t> shape{3, 37, 5};
  write_random("x.npy", shape, 11);
  for (const std::string format : {"mxfp4_e2m1", "mxfp4_e1m2", "mxfp6_e2m3", "mxfp6_e3m2",
                                   "mxfp8_e4m3", "mxfp8_e5m2", "mxint8"}) {
    for (const std::string axis : {"0", "1", "2"}) {
      for (const std::string pack : {"none", "low", "high"}) {
        if (pack == "high" && format.find("fp4") == std::string::npos) continue;
        SCOPED_TRACE(format + " axis " + axis + " pack " + pack);
        quantize(format, {"--axis", axis, "--pack", pack});
        std::vector<std::string> options{"--pack", pack};
        if (pack != "none") options.insert(options.end(), {"--length", "5"});
        dequantize(format, options);
        if (format == "mxint8") {
          // Quantizing keeps the sign of a negative value that becomes zero; the codes do not.
          EXPECT_TRUE(read_floats("d.npy", shape) == read_floats("d2.npy", shape));
        } else {
          EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
        }
      }
    }
  }
}

TEST_F(Quantize, QuantizingTwiceChangesNothing) {
  write_random("x.npy", {4, 64}, 12);
  for (const char* format : {"mxfp4_e2m1", "mxfp6_e3m2", "mxfp8_e4m3", "mxint8"}) {
    SCOPED_TRACE(format);
    quantize(format);
    write_text("x2.npy", read_text("d.npy"));
    const ProgramRun run =
        mxe({"quantize", path("x2.npy"), "--format", format, "--dequantized", path("d.npy")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(same_bytes("d.npy", "x2.npy"));
  }
}

TEST_F(Quantize, Json) {
  write_random("x.npy", {4, 65}, 13);
  const nlohmann::json json = mxe_json({"quantize", path("x.npy"), "--format", "mxfp8_e4m3"});
  EXPECT_EQ(json.at("format"), "mxfp8_e4m3");
  EXPECT_EQ(json.at("shape"), (std::vector<int>{4, 65}));
  EXPECT_EQ(json.at("axis"), 1);
  EXPECT_EQ(json.at("block"), 32);
  EXPECT_EQ(json.at("blocks"), 12);
}

TEST_F(Quantize, ThreadsChangeNothing) {
  write_random("x.npy", {37, 100}, 5);
  for (const std::string threads : {"1", "3"}) {
    ASSERT_EQ(
        mxe({"quantize", path("x.npy"), "--format", "mxfp6_e3m2", "--threads", threads,
             "--elements", path("e" + threads + ".npy"), "--scales", path("s" + threads + ".npy")})
            .exit_code,
        0);
  }
  EXPECT_TRUE(same_bytes("e1.npy", "e3.npy"));
  EXPECT_TRUE(same_bytes("s1.npy", "s3.npy"));
  expect_error({"quantize", path("x.npy"), "--format", "mxfp6_e3m2", "--threads", "0"},
               "--threads");
}

TEST_F(Quantize, BadInput) {
  write_floats("x.npy", {1, 2}, {2});
  const std::string x = path("x.npy");
  expect_error({"quantize", x, "--format", "mxfp9"}, "unknown format 'mxfp9' (allowed: mxfp4_e2m1");
  expect_error({"quantize", x, "--format", "mxint8", "--axis", "1"},
               "axis 1 does not exist (allowed: -1 to 0)");
  expect_error({"quantize", x, "--format", "mxint8", "--scale-rule", "big"}, "allowed: floor");
  expect_error({"quantize", x, "--format", "mxint8", "--round", "up and down"}, "allowed: ");
  expect_error({"quantize", x, "--format", "mxint8", "--pack", "high"}, "4-bit formats");
  expect_error({"quantize", x, "--format", "mxint8", "--block", "0"}, "the block size cannot be 0");
  expect_error({"quantize", x, "--format", "mxint8", "--preset", "best"},
               "unknown preset 'best' (nearest: ");
  expect_error({"quantize", x, "--format", "mxfp4_e2m1", "--preset", "torchao"},
               "nearest: torchao-floor, torchao-ceil, torchao-even, torchao-rceil, torchao_old");
  expect_error({"quantize", x, "--format", "mxint8", "--tensor-amax", "1"}, "not for 'ocp'");
  expect_error({"quantize", x, "--format", "nvfp4", "--tensor-amax", "-1"},
               "the tensor amax cannot be -1");
  expect_error(
      {"quantize", x, "--format", "nvfp4", "--preset", "nvfp4-te-row", "--tensor-amax", "1"},
      "cannot be combined with one tensor scale per row");
  expect_error({"quantize", x, "--format", "nvfp4", "--row-amax", path("r.npy")}, "--row-amax");
  expect_error({"quantize", x, "--format", "mxint8", "--seed", "1"}, "stochastic rounding");
  expect_error({"quantize", x, "--format", "mxint8", "--preset", "nvfp4-te"}, "does not produce");
  expect_error({"quantize", x, "--format", "nvfp4", "--scale-rule", "ceil"}, "not for e4m3");
  expect_error({"quantize", x, "--format", "mxint8", "--scale-format", "e9m9"}, "e9m9");
  expect_error({"quantize", x, "--format", "int12", "--pack", "low"}, "at most 8 bits");
}

TEST_F(Quantize, DequantizeBadInput) {
  write_random("x.npy", {4, 65}, 14);
  quantize("mxfp8_e4m3");
  const auto arguments = [this](const std::string& elements, const std::string& scales,
                                const std::string& format) {
    return std::vector<std::string>{"dequantize", "--elements", path(elements),
                                    "--scales",   path(scales), "--format",
                                    format,       "--output",   path("o.npy")};
  };
  expect_error(arguments("e.npy", "e.npy", "mxfp8_e4m3"),
               "scales of shape [4, 65] do not fit elements of shape [4, 65]");
  expect_error(arguments("d.npy", "s.npy", "mxfp8_e4m3"), "must be uint8, but are float32");
  expect_error(arguments("e.npy", "s.npy", "mxfp4_e2m1"), "is too large for mxfp4_e2m1");
  quantize("nvfp4");
  std::vector<std::string> needs_amax = arguments("e.npy", "s.npy", "nvfp4");
  needs_amax.insert(needs_amax.end(), {"--preset", "nvfp4-te"});
  expect_error(needs_amax, "--tensor-amax is needed");
  needs_amax.back() = "nvfp4-te-row";
  expect_error(needs_amax, "--row-amax is needed");
  expect_error(arguments("e.npy", "s.npy", "fp8"), "unknown format 'fp8' (allowed: ");
}

}  // namespace
}  // namespace mxe::test
