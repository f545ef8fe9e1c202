// SPDX-License-Identifier: Apache-2.0
// Operands of matmul: NVFP4, other scales and block sizes, presets, codes in files.
#include <algorithm>
#include <cstring>

#include "model/numerics/files/npy.h"
#include "model/numerics/gemm/gemm_definition.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Words = std::vector<std::string>;
using numerics::FormatId;
using numerics::MxTensor;
using numerics::ScaleKind;

class Operands : public CliTest {
 protected:
  // A [5, 70] and B [70, 4], both as NVFP4 unless `more` says otherwise.
  Words numbers(const Words& more = {}) const { return with({path("a.npy"), path("b.npy")}, more); }

  Words with(const Words& files, const Words& more) const {
    Words words{"matmul"};
    words.insert(words.end(), files.begin(), files.end());
    for (const char* option : {"--format-a", "--format-b"}) {
      if (std::find(more.begin(), more.end(), option) == more.end()) {
        words.insert(words.end(), {option, "nvfp4"});
      }
    }
    if (std::find(more.begin(), more.end(), "--on") == more.end()) {
      words.insert(words.end(), {"--on", "golden"});
    }
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  void write_numbers() {
    write_random("a.npy", {5, 70}, 31);
    write_random("b.npy", {70, 4}, 32);
  }

  void succeed(const Words& words) {
    const ProgramRun run = mxe(words);
    std::string line;
    for (const std::string& word : words) line += word + " ";
    EXPECT_EQ(run.exit_code, 0) << line << run.err;
  }

  std::vector<float> result(Words words, const std::vector<std::size_t>& shape) {
    words.insert(words.end(), {"--output", path("c.npy")});
    succeed(words);
    return read_floats("c.npy", shape);
  }

  void write_codes(const std::string& name, const std::vector<uint8_t>& codes,
                   const std::vector<std::size_t>& shape) const {
    numerics::write_npy(path(name), codes.data(), shape);
  }

  nlohmann::json quantize(const std::string& input, const Words& more) {
    Words words{"quantize", path(input)};
    words.insert(words.end(), more.begin(), more.end());
    return mxe_json(words);
  }

  // Files A.e.npy, A.s.npy and so on of an operand; returns its tensor scale, 1 without one.
  float write_operand(const std::string& input, const Words& quantizer, const char* axis,
                      const std::string& name) {
    Words words = quantizer;
    words.insert(words.end(), {"--axis", axis, "--elements", path(name + ".e.npy"), "--scales",
                               path(name + ".s.npy")});
    return quantize(input, words).value("tensor_scale", 1.0f);
  }

  static void expect_same(const std::vector<float>& a, const std::vector<float>& b) {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
  }
};

TEST_F(Operands, Nvfp4ByHand) {
  // 16 products 1 x 1, scales 2^-9 (code 0x01, subnormal) and 1.125 (0x39): 16 x 1.125 x 2^-9.
  write_codes("e.npy", std::vector<uint8_t>(16, 2), {1, 16});
  write_codes("f.npy", std::vector<uint8_t>(16, 2), {16, 1});
  write_codes("s.npy", {0x01}, {1, 1});
  write_codes("t.npy", {0x39}, {1, 1});
  const Words words =
      with({}, {"--elements-a", path("e.npy"), "--scales-a", path("s.npy"), "--elements-b",
                path("f.npy"), "--scales-b", path("t.npy"), "--preset-a", "nvfp4-torchao1"});
  const auto scaled = [&words](const char* tensor_scale, const Words& more = {}) {
    Words all = words;
    all.insert(all.end(), {"--tensor-scale-b", tensor_scale});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  EXPECT_EQ(result(scaled("1"), {1, 1}), std::vector<float>{0.03515625f});
  EXPECT_EQ(result(scaled("0.5"), {1, 1}), std::vector<float>{0.017578125f});
  EXPECT_EQ(result(scaled("0.5", {"--alpha", "-2"}), {1, 1}), std::vector<float>{-0.0703125f});
  write_floats("bias.npy", {1}, {1});
  EXPECT_EQ(result(scaled("0.5", {"--alpha", "-2", "--bias", path("bias.npy")}), {1, 1}),
            std::vector<float>{0.9296875f});
  const nlohmann::json json = mxe_json(scaled("0.5"));
  EXPECT_EQ(json.at("tensor_scale").at("b"), 0.5);
  EXPECT_TRUE(json.at("tensor_scale").at("a").is_null());
  EXPECT_EQ(json.at("alpha"), 0.5);
  EXPECT_EQ(json.at("format_a"), "nvfp4");
}

TEST_F(Operands, EqualTheDefinition) {
  write_numbers();
  struct Case {
    Words a, b;
    FormatId format_a, format_b;
    numerics::ScaleLayout scales_a, scales_b;
  };
  const Case cases[] = {
      {{"nvfp4"},
       {"nvfp4"},
       FormatId::mxfp4_e2m1,
       FormatId::mxfp4_e2m1,
       numerics::kNvfp4Scales,
       numerics::kNvfp4Scales},
      {{"nvfp4", "--preset", "nvfp4-modelopt"},
       {"mxfp8_e4m3"},
       FormatId::mxfp4_e2m1,
       FormatId::mxfp8_e4m3,
       numerics::kNvfp4Scales,
       {}},
      {{"mxfp8_e5m2", "--block", "64"},
       {"mxint8", "--block", "128"},
       FormatId::mxfp8_e5m2,
       FormatId::mxint8,
       {ScaleKind::e8m0, 64},
       {ScaleKind::e8m0, 128}},
      {{"mxfp4_e2m1", "--block", "16"},
       {"mxfp6_e2m3"},
       FormatId::mxfp4_e2m1,
       FormatId::mxfp6_e2m3,
       {ScaleKind::e8m0, 16},
       {}},
      {{"nvfp4", "--preset", "nvfp4-te-pow2"},
       {"nvfp4", "--preset", "nvfp4-torchao1"},
       FormatId::mxfp4_e2m1,
       FormatId::mxfp4_e2m1,
       {ScaleKind::e8m0, 16},
       numerics::kNvfp4Scales},
      {{"nvfp4", "--preset", "nvfp4-torchao1", "--scale-format", "e5m3"},
       {"nvfp4", "--preset", "nvfp4-torchao1", "--scale-format", "e5m3"},
       FormatId::mxfp4_e2m1,
       FormatId::mxfp4_e2m1,
       {ScaleKind::ue5m3, 16},
       {ScaleKind::ue5m3, 16}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.a[0] + " times " + one.b[0]);
    const auto quantizer = [](const Words& words) {
      Words all{"--format"};
      all.insert(all.end(), words.begin(), words.end());
      return all;
    };
    const float alpha = write_operand("a.npy", quantizer(one.a), "1", "a") *
                        write_operand("b.npy", quantizer(one.b), "0", "b");
    MxTensor a{one.format_a, 5, 70, read_bytes("a.e.npy", {5, 70}), {}, one.scales_a, {}};
    a.scales = read_bytes("a.s.npy", {5, a.scale_columns()});
    MxTensor b{one.format_b, 4, 70, std::vector<uint8_t>(280), {}, one.scales_b, {}};
    const auto turned = [](const std::vector<uint8_t>& bytes) {
      std::vector<uint8_t> rows(bytes.size());
      for (std::size_t i = 0; i < bytes.size(); i++)
        rows[i % 4 * (bytes.size() / 4) + i / 4] = bytes[i];
      return rows;
    };
    b.codes = turned(read_bytes("b.e.npy", {70, 4}));
    b.scales = turned(read_bytes("b.s.npy", {b.scale_columns(), 4}));
    for (const bool dual : {true, false}) {
      std::vector<float> expected(20);
      numerics::gemm_definition_into(a, b, nullptr, dual, 0, 5, expected.data());
      for (float& value : expected) value = numerics::apply_alpha(alpha, value, nullptr);
      Words words{"--format-a"};
      for (const std::string& word : one.a) {
        words.push_back(word.rfind("--", 0) == 0 ? word + "-a" : word);
      }
      words.push_back("--format-b");
      for (const std::string& word : one.b) {
        words.push_back(word.rfind("--", 0) == 0 ? word + "-b" : word);
      }
      words.insert(words.end(), {"--set", dual ? "FP4_DUAL=1" : "FP4_DUAL=0"});
      expect_same(result(numbers(words), {5, 4}), expected);
    }
  }
}

TEST_F(Operands, CodesEqualNumbers) {
  write_numbers();
  for (const char* preset : {"ocp", "nvfp4-torchao1", "nvfp4-modelopt", "nvfp4-te", "nvfp4-te-2d",
                             "nvfp4-te-4over6", "nvfp4-te-pow2"}) {
    SCOPED_TRACE(preset);
    const Words presets{"--preset-a", preset, "--preset-b", preset};
    const std::vector<float> expected = result(numbers(presets), {5, 4});
    for (const Words& storage : {Words{}, Words{"--pack", "low"}, Words{"--pack", "high"}}) {
      const std::string a = path("a.safetensors"), b = path("b.safetensors");
      Words words{"--format", "nvfp4", "--preset", preset, "--elements", a, "--scales", a};
      words.insert(words.end(), storage.begin(), storage.end());
      quantize("a.npy", words);
      quantize("b.npy", {"--format", "nvfp4", "--preset", preset, "--axis", "0", "--elements", b,
                         "--scales", b});
      Words of_codes = presets;
      if (!storage.empty()) of_codes.insert(of_codes.end(), {"--pack-a", storage[1]});
      of_codes.insert(of_codes.end(), {"--elements-a", a});
      expect_same(result(with({path("b.npy")}, of_codes), {5, 4}), expected);
      of_codes.insert(of_codes.end(), {"--elements-b", b, "--scales-b", b});
      expect_same(result(with({}, of_codes), {5, 4}), expected);
    }
  }
}

TEST_F(Operands, StorageOfCodes) {
  write_numbers();
  const std::vector<float> expected = result(numbers(), {5, 4});
  const std::string e = path("e.npy"), s = path("s.npy");
  const nlohmann::json json = quantize("a.npy", {"--format", "nvfp4", "--elements", e, "--scales",
                                                 s, "--pack", "low", "--swizzle", "32x4x4"});
  const Words words{"--elements-a", e, "--scales-a", s, "--pack-a", "low", "--swizzle-a", "32x4x4"};
  const auto and_scale = [&words](const char* option, const nlohmann::json& value) {
    Words all = words;
    all.insert(all.end(), {option, value.dump()});
    return all;
  };
  const Words by_scale = and_scale("--tensor-scale-a", json.at("tensor_scale"));
  const Words by_amax = and_scale("--tensor-amax-a", json.at("tensor_amax"));
  expect_same(result(with({path("b.npy")}, by_scale), {5, 4}), expected);
  expect_same(result(with({path("b.npy")}, by_amax), {5, 4}), expected);
  // The amax also sets the scale of numbers.
  expect_same(result(numbers({"--tensor-amax-a", json.at("tensor_amax").dump()}), {5, 4}),
              expected);
}

TEST_F(Operands, RowScales) {
  write_numbers();
  const Words presets{"--preset-a", "nvfp4-te-row", "--preset-b", "nvfp4-te-row"};
  const std::vector<float> expected = result(numbers(presets), {5, 4});
  quantize("a.npy", {"--format", "nvfp4", "--preset", "nvfp4-te-row", "--elements", path("e.npy"),
                     "--scales", path("s.npy"), "--row-amax", path("r.npy")});
  Words of_codes = presets;
  of_codes.insert(of_codes.end(), {"--elements-a", path("e.npy"), "--scales-a", path("s.npy"),
                                   "--row-amax-a", path("r.npy")});
  expect_same(result(with({path("b.npy")}, of_codes), {5, 4}), expected);
  const nlohmann::json json = mxe_json(numbers(presets));
  EXPECT_FALSE(json.contains("alpha"));
  EXPECT_FALSE(json.contains("tensor_scale"));
}

TEST_F(Operands, CodesWithoutScales) {
  // 1.5 (code 0x3C) and 2 (0x40) as E4M3: 40 x 1.5 x 2 x 0.25.
  write_codes("e.npy", std::vector<uint8_t>(40, 0x3C), {1, 40});
  write_codes("f.npy", std::vector<uint8_t>(40, 0x40), {40, 1});
  const Words formats{"--format-a", "mxfp8_e4m3", "--format-b", "mxfp8_e4m3"};
  Words words = formats;
  words.insert(words.end(), {"--elements-a", path("e.npy"), "--scale-format-a", "none",
                             "--elements-b", path("f.npy"), "--scale-format-b", "none"});
  EXPECT_EQ(result(with({}, words), {1, 1}), std::vector<float>{120});
  words.insert(words.end(), {"--tensor-scale-a", "0.25"});
  EXPECT_EQ(result(with({}, words), {1, 1}), std::vector<float>{30});
  EXPECT_EQ(mxe_json(with({}, words)).at("format_a"), "mxfp8_e4m3 without scales");
}

TEST_F(Operands, OtherSums) {
  write_numbers();
  const std::vector<float> block = result(numbers(), {5, 4});
  for (const char* policy : {"exact", "sequential", "nvidia-blackwell"}) {
    const std::vector<float> other = result(numbers({"--accumulate", policy}), {5, 4});
    for (std::size_t i = 0; i < other.size(); i++) EXPECT_NEAR(other[i], block[i], 1e-4);
  }
  expect_error(numbers({"--accumulate", "nvidia-blackwell", "--format-b", "mxfp8_e4m3"}),
               "nvidia-blackwell has no nvfp4 times mxfp8_e4m3 (allowed: ");
}

TEST_F(Operands, BatchesAndStandardInput) {
  write_random("a.npy", {3, 5, 70}, 33);
  write_random("b.npy", {3, 4, 70}, 34);
  const std::string file = path("b.safetensors");
  quantize("b.npy", {"--format", "nvfp4", "--elements", file, "--scales", file});
  const Words transposed{"--transpose-b"};
  const std::vector<float> expected = result(numbers(transposed), {3, 5, 4});
  feed(file);
  expect_same(result(with({path("a.npy")}, {"--transpose-b", "--elements-b", "-"}), {3, 5, 4}),
              expected);
}

TEST_F(Operands, Explain) {
  write_numbers();
  const auto pair = [this](const Words& more) {
    Words words = more;
    words.push_back("--explain");
    return mxe_json(numbers(words)).at("pair");
  };
  const nlohmann::json nvfp4 = pair({});
  EXPECT_EQ(nvfp4.at("step"), 64);
  EXPECT_EQ(nvfp4.at("chains"), 1);
  EXPECT_EQ(nvfp4.at("sum_bits"), 50);
  EXPECT_EQ(nvfp4.at("bytes_a"), (nlohmann::json{{"elements", 32.0}, {"scales", 4.0}}));
  EXPECT_EQ(nvfp4.at("rate"), 8 * 64);
  EXPECT_TRUE(nvfp4.at("refusal").is_null());
  EXPECT_EQ(pair({"--set", "NVFP4=0"}).at("refusal"),
            "NVFP4 needs NVFP4 = 1 and TREE_W of at least 50, the configuration has NVFP4 = 0 and "
            "TREE_W = 70");
  EXPECT_EQ(pair({"--set", "FP4_DUAL=0"}).at("step"), 32);
  const nlohmann::json mx =
      pair({"--format-a", "mxfp4_e2m1", "--format-b", "mxfp4_e2m1", "--config", "small"});
  EXPECT_EQ(mx.at("step"), 32);
  EXPECT_EQ(mx.at("chains"), 2);
  EXPECT_EQ(mx.at("sum_bits"), 14);
  EXPECT_EQ(mx.at("rate"), 4 * 64);
  EXPECT_TRUE(mx.at("refusal").is_null());
  EXPECT_EQ(pair({"--format-a", "mxint8", "--block-a", "64"}).at("bytes_a").at("scales"), 0.5);
  const ProgramRun run = mxe(numbers({"--explain"}));
  for (const char* line :
       {"  step           64 elements of K, exact in 50 bits, then one rounding\n",
        "  bytes a step   36 of a row of A: 32 of elements, 4 of scales\n",
        "  rate           512 multiplications a cycle\n",
        "  engine         base multiplies it: TREE_W is 70\n"}) {
    EXPECT_NE(run.out.find(line), std::string::npos) << run.out;
  }
  const ProgramRun narrow = mxe(numbers(
      {"--format-a", "mxfp8_e5m2", "--format-b", "mxfp8_e5m2", "--explain", "--set", "TREE_W=42"}));
  EXPECT_NE(narrow.out.find("refuses it: mxfp8_e5m2 times mxfp8_e5m2 needs TREE_W of at least 70"),
            std::string::npos)
      << narrow.out;
}

TEST_F(Operands, EnginesRefuseByName) {
  write_numbers();
  const auto refused = [this](Words more, const std::string& message) {
    more.insert(more.end(), {"--on", "model", "--config", "small"});
    expect_error(numbers(more), message);
  };
  refused({"--set", "NVFP4=0"}, "NVFP4 needs NVFP4 = 1");
  refused({"--preset-a", "nvfp4-te-row", "--preset-b", "nvfp4-te-row"},
          "no engine multiplies nvfp4 by nvfp4 with scales of rows (allowed: E8M0 scales of blocks "
          "of 32, 64 or 128, or NVFP4 twice");
  refused({"--format-b", "mxint8"}, "no engine multiplies nvfp4 by mxint8");
  refused({"--format-a", "mxint8", "--format-b", "mxint8", "--block-a", "16"},
          "no engine multiplies mxint8 in blocks of 16 by mxint8");
  refused({"--format-a", "mxfp4_e2m1", "--format-b", "mxfp4_e2m1", "--alpha", "2"},
          "a factor of the results needs NVFP4 = 1");
}

TEST_F(Operands, EnginesMultiplyNvfp4) {
  write_numbers();
  write_random("bias.npy", {4}, 35);
  const Words plain{"--bias", path("bias.npy")};
  const Words alpha{"--format-a", "mxint8", "--format-b", "mxfp8_e5m2", "--alpha", "-0.3"};
  for (Words more : {Words{}, plain, alpha}) {
    const std::vector<float> golden = result(numbers(more), {5, 4});
    more.insert(more.end(), {"--on", "model", "--config", "small"});
    expect_same(result(numbers(more), {5, 4}), golden);
  }
}

TEST_F(Operands, WrongQuantizers) {
  write_numbers();
  const auto wrong = [this](const Words& more, const std::string& message) {
    expect_error(numbers(more), message);
  };
  wrong({"--format-a", "nvfp5"}, "unknown format 'nvfp5' (allowed: ");
  wrong({"--format-b", "e4m3"}, "B: no product has elements of the format e4m3 (allowed: ");
  wrong({"--format-b", "int8"}, "B: no product has elements of the format int8 (allowed: ");
  wrong({"--format-a", "mxint8", "--block-a", "48"},
        "A: blocks of 48 elements (allowed: 16, 32, 64, 128)");
  wrong({"--format-a", "mxint8", "--block-a", "0"}, "the block size cannot be 0");
  wrong({"--block-a", "32"},
        "A: scales e4m3 and e5m3 need mxfp4_e2m1 in blocks of 16, not "
        "mxfp4_e2m1 in blocks of 32");
  wrong({"--format-a", "mxint8", "--preset-a", "nvfp4-te"}, "does not produce 'mxint8'");
  wrong({"--preset-b", "ocp-rceil"}, "does not produce 'nvfp4'");
  wrong({"--preset-b", "nvfp4-torchao3"}, "unknown preset 'nvfp4-torchao3'");
  wrong({"--scale-format-a", "e3m3"}, "A: no product has scales e3m3 (allowed: e8m0, e4m3, e5m3)");
  wrong({"--scale-format-a", "fp32"}, "fp32");
  wrong({"--format-a", "mxfp8_e4m3", "--preset-a", "pychop"},
        "A: no product has operands of this preset");
  wrong({"--format-a", "mxint8", "--preset-a", "torchmx"},
        "A: no product has operands of this preset");
  wrong({"--format-a", "mxint8", "--preset-a", "quark-onnx"},
        "A: no product has operands of this preset");
  wrong({"--tensor-amax-a", "0"}, "the tensor amax cannot be 0");
  wrong({"--format-a", "mxint8", "--tensor-amax-a", "2"}, "a tensor amax is for presets with");
  wrong({"--tensor-scale-a", "0"}, "the tensor scale cannot be 0");
  wrong({"--format-a", "mxint8", "--tensor-scale-a", "2"}, "a tensor scale is for presets with");
  wrong({"--preset-a", "nvfp4-te", "--tensor-scale-a", "2"}, "other presets compute with the amax");
  wrong({"--tensor-scale-a", "1", "--tensor-amax-a", "2"}, "exclude each other");
  wrong({"--alpha", "inf"}, "--alpha");
  wrong({"--alpha", "nan"}, "--alpha");
  wrong({"--alpha", "1e39"}, "--alpha is beyond float32 (allowed: finite numbers)");
  wrong({"--scale-format-a", "none"}, "--scale-format-a none is for codes: it needs --elements-a");
  for (const auto& [option, value] :
       {std::pair("--scales", "s.npy"), std::pair("--row-amax", "r.npy"),
        std::pair("--pack", "low"), std::pair("--swizzle", "32x4x4"),
        std::pair("--length", "70")}) {
    wrong({std::string(option) + "-b", value},
          std::string(option) + "-b is for codes: it needs --elements-b");
  }
}

TEST_F(Operands, WrongCodes) {
  write_numbers();
  const std::string e = path("e.npy"), s = path("s.npy"), a = path("a.safetensors");
  const nlohmann::json json =
      quantize("a.npy", {"--format", "nvfp4", "--elements", e, "--scales", s});
  quantize("a.npy", {"--format", "nvfp4", "--elements", a, "--scales", a});
  const std::string t = json.at("tensor_scale").dump();
  const Words files{"--elements-a", e, "--scales-a", s};
  const auto wrong = [&](const Words& of_codes, const Words& more, const std::string& message) {
    Words words = of_codes;
    words.insert(words.end(), more.begin(), more.end());
    expect_error(with({path("b.npy")}, words), message);
  };
  expect_error(with({}, files), "0 files of numbers are given (needed: A.npy unless --elements-a");
  expect_error(with({path("b.npy"), path("b.npy")}, files), "2 files of numbers are given");
  expect_error(with({path("a.npy")}, {}), "1 files of numbers are given");
  wrong(files, {},
        "the scale of the whole tensor is missing (allowed: --tensor-scale-a, "
        "--tensor-amax-a, .safetensors files of quantize)");
  wrong(files, {"--preset-a", "nvfp4-te", "--tensor-scale-a", t}, "(allowed: --tensor-amax-a, ");
  wrong(files, {"--preset-a", "nvfp4-te-row"}, "(allowed: --row-amax-a, ");
  wrong(files, {"--preset-a", "nvfp4-torchao1", "--tensor-scale-a", "2"},
        "this preset has no scale of the whole tensor");
  wrong(files, {"--tensor-scale-a", "0"}, "the tensor scale cannot be 0");
  wrong(files, {"--tensor-scale-a", "-1"}, "the tensor scale cannot be -1");
  wrong(files, {"--tensor-scale-a", "nan"}, "--tensor-scale-a");
  wrong(files, {"--tensor-scale-a", "1", "--tensor-amax-a", "1"}, "contradict each other");
  wrong({"--elements-a", e}, {}, "needs --scales-a, or --scale-format-a none");
  wrong({"--elements-a", e, "--scales-a", e}, {"--tensor-scale-a", t},
        "must be [5, 5], but are [5, 70]");
  wrong({"--elements-a", a}, {"--tensor-scale-a", "1"}, "--tensor-scale-a 1 is not what");
  wrong({"--elements-a", path("none.npy"), "--scales-a", s}, {}, "none.npy: cannot open");
  wrong({"--elements-a", path("a.npy"), "--scales-a", s}, {"--tensor-scale-a", t}, "a.npy");
  wrong({"--elements-a", e, "--scales-a", path("a.npy")}, {"--tensor-scale-a", t},
        "a.npy: the scales are float32 (allowed: uint8 codes)");

  std::vector<uint8_t> scales = read_bytes("s.npy", {5, 5});
  for (const unsigned code : {0x7Fu, 0x80u, 0xFFu}) {
    scales[7] = static_cast<uint8_t>(code);
    write_codes("nan.npy", scales, {5, 5});
    wrong({"--elements-a", e, "--scales-a", path("nan.npy")}, {"--tensor-scale-a", t},
          "nan.npy: scale 7 is the code " + std::to_string(code) + ", NaN (allowed: 0 to 126)");
  }
  std::vector<uint8_t> codes = read_bytes("e.npy", {5, 70});
  codes[3] = 16;
  write_codes("large.npy", codes, {5, 70});
  wrong({"--elements-a", path("large.npy"), "--scales-a", s}, {"--tensor-scale-a", t},
        "large.npy: the code 16 is too large for mxfp4_e2m1 (allowed: 0 to 15)");
  write_codes("flat.npy", {1, 2}, {2});
  wrong({"--elements-a", path("flat.npy"), "--scales-a", s}, {"--tensor-scale-a", t},
        "flat.npy: must have at least two axes, but the array is [2]");
  write_codes("short.npy", std::vector<uint8_t>(5 * 64), {5, 64});
  write_codes("short.s.npy", std::vector<uint8_t>(5 * 4), {5, 4});
  wrong({"--elements-a", path("short.npy"), "--scales-a", path("short.s.npy")},
        {"--tensor-scale-a", t}, "the number of columns of A must equal the number of rows of B");

  // Blocks of B run along K, not along N.
  quantize("b.npy", {"--format", "nvfp4", "--axis", "1", "--elements", path("f.npy"), "--scales",
                     path("g.npy")});
  expect_error(with({path("a.npy")}, {"--elements-b", path("f.npy"), "--scales-b", path("g.npy"),
                                      "--tensor-scale-b", "1"}),
               "g.npy must be [5, 4], but are [70, 1]");

  const Words bare{"--elements-a", e, "--scale-format-a", "none"};
  wrong(bare, {"--scales-a", s}, "--scale-format-a none excludes --scales-a");
  wrong(bare, {"--block-a", "16"}, "--scale-format-a none excludes --block-a");
  wrong(bare, {"--tensor-amax-a", "1"}, "--scale-format-a none excludes --tensor-amax-a");
  wrong(bare, {"--row-amax-a", s}, "--scale-format-a none excludes --row-amax-a");
  wrong(bare, {"--tensor-scale-a", "0"}, "the tensor scale cannot be 0");
  wrong({"--elements-a", path("large.npy"), "--scale-format-a", "none"},
        {"--format-a", "mxfp4_e2m1"},
        "large.npy: the code 16 is too large for mxfp4_e2m1 (allowed: 0 to 15)");
}

TEST_F(Operands, FilesThatDisagree) {
  write_numbers();
  write_random("x.npy", {5, 70}, 35);
  for (const auto& [input, file] :
       {std::pair("a.npy", "a.safetensors"), std::pair("x.npy", "x.safetensors")}) {
    quantize(input, {"--format", "nvfp4", "--elements", path(file), "--scales", path(file)});
  }
  expect_error(with({path("b.npy")},
                    {"--elements-a", path("a.safetensors"), "--scales-a", path("x.safetensors")}),
               "hold different values of tensor_scale");
}

}  // namespace
}  // namespace mxe::test
