// SPDX-License-Identifier: Apache-2.0
// mxe matmul --layer: the product with a checkpoint's layer equals the one with the same codes in
// files.
#include <cstdlib>
#include <cstring>
#include <random>

#include "model/numerics/files/files.h"
#include "model/numerics/files/npy.h"
#include "model/numerics/files/safetensors.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Words = std::vector<std::string>;
using Bytes = std::vector<uint8_t>;
using numerics::NamedTensor;

constexpr std::size_t kRows = 6, kDepth = 64;

NamedTensor tensor(const std::string& name, const char* type, const std::vector<std::size_t>& shape,
                   const Bytes& data) {
  NamedTensor made{name, type, {}};
  made.array.dtype = std::string(type) == "F32" ? numerics::DType::float32 : numerics::DType::uint8;
  made.array.shape = shape;
  made.array.data = data;
  return made;
}

NamedTensor floats(const std::string& name, const std::vector<std::size_t>& shape,
                   const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return tensor(name, "F32", shape, bytes);
}

Bytes random_bytes(std::size_t count, unsigned least, unsigned most) {
  std::mt19937 random(5);
  Bytes bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(least + random() % (most - least + 1));
  return bytes;
}

class Layer : public CliTest {
 protected:
  void SetUp() override { write_random("a.npy", {3, kDepth}, 7); }

  void write_file(const std::string& name, const std::vector<NamedTensor>& tensors) const {
    const Bytes bytes = numerics::format_safetensors(tensors);
    numerics::write_file(path(name), bytes.data(), bytes.size());
  }

  // Codes and scales of [experts * 6, 64] as ModelOpt's NVFP4, or as MXFP8, and as .npy files.
  void write_layer(bool nvfp4, std::size_t experts = 1, std::vector<NamedTensor> more = {}) {
    const std::size_t block = nvfp4 ? 16 : 32, rows = experts * kRows;
    const Bytes codes = random_bytes(rows * kDepth, 0, nvfp4 ? 15 : 0x7E);
    const Bytes scales = random_bytes(rows * kDepth / block, nvfp4 ? 1 : 120, nvfp4 ? 0x7E : 130);
    Bytes packed;
    for (std::size_t i = 0; i < codes.size(); i += 2) {
      packed.push_back(static_cast<uint8_t>(codes[i] | codes[i + 1] << 4));
    }
    const auto shape = [experts](std::size_t columns) {
      if (experts == 1) return std::vector<std::size_t>{kRows, columns};
      return std::vector<std::size_t>{experts, kRows, columns};
    };
    numerics::write_npy(path("e.npy"), codes.data(), shape(kDepth));
    numerics::write_npy(path("s.npy"), scales.data(), shape(kDepth / block));
    if (nvfp4) {
      more.push_back(tensor("up.weight_scale", "F8_E4M3", shape(kDepth / block), scales));
      if (is_divided_) {
        more.push_back(tensor("up.weight_packed", "U8", shape(kDepth / 2), packed));
        more.push_back(floats("up.weight_global_scale", {1}, {341.5f}));
      } else {
        more.push_back(tensor("up.weight", "U8", shape(kDepth / 2), packed));
        more.push_back(floats("up.weight_scale_2", {}, {0.25f}));
      }
      write_file("m.safetensors", more);
    } else {
      write_file("m.safetensors", {tensor("up.weight", "F8_E4M3", shape(kDepth), codes),
                                   tensor("up.weight_scale", "U8", shape(kDepth / block), scales)});
    }
  }

  std::vector<float> result(Words words, const std::vector<std::size_t>& shape,
                            const char* on = "golden") {
    words.insert(words.begin(), {"matmul", path("a.npy")});
    words.insert(words.end(), {"--on", on, "--output", path("c.npy")});
    const ProgramRun run = mxe(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_floats("c.npy", shape);
  }

  std::vector<float> by_layer(const Words& more, const std::vector<std::size_t>& shape,
                              const char* on = "golden") {
    Words words{path("m.safetensors"), "--layer", "up"};
    words.insert(words.end(), more.begin(), more.end());
    return result(words, shape, on);
  }

  std::vector<float> by_codes(const Words& more, const std::vector<std::size_t>& shape) {
    Words words{"--transpose-b", "--elements-b", path("e.npy"), "--scales-b", path("s.npy")};
    words.insert(words.end(), more.begin(), more.end());
    return result(words, shape);
  }

  static void expect_same(const std::vector<float>& a, const std::vector<float>& b) {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
  }

  bool is_divided_ = false;  // the NVFP4 layer is one of compressed-tensors
};

TEST_F(Layer, Nvfp4) {
  write_layer(true);
  const Words codes{"--format-b",       "nvfp4", "--preset-b", "nvfp4-modelopt",
                    "--tensor-scale-b", "0.25"};
  Words same = codes;
  same.insert(same.end(), {"--format-a", "nvfp4", "--preset-a", "nvfp4-modelopt"});
  expect_same(by_layer({}, {3, kRows}), by_codes(same, {3, kRows}));
  Words mixed = codes;
  mixed.insert(mixed.end(), {"--format-a", "mxfp8_e4m3"});
  expect_same(by_layer({"--format-a", "mxfp8_e4m3"}, {3, kRows}), by_codes(mixed, {3, kRows}));
}

TEST_F(Layer, ConstantScaleOfActivations) {
  for (const bool divided : {false, true}) {
    is_divided_ = divided;
    const std::string preset = divided ? "nvfp4-compressed-tensors" : "nvfp4-modelopt";
    const std::string scale = divided ? "341.5" : "0.25", constant = divided ? "77.25" : "0.0123";
    const float value = std::strtof(constant.c_str(), nullptr);
    const char* name = divided ? "up.input_global_scale" : "up.input_scale";
    write_layer(true, 1, {floats(name, {1}, {value})});
    Words codes{"--format-b", "nvfp4",      "--preset-b", preset,       "--tensor-scale-b",
                scale,        "--format-a", "nvfp4",      "--preset-a", preset};
    const std::vector<float> dynamic = by_codes(codes, {3, kRows});
    codes.insert(codes.end(), {"--tensor-scale-a", constant});
    const std::vector<float> result = by_layer({}, {3, kRows});
    expect_same(result, by_codes(codes, {3, kRows}));
    EXPECT_NE(result, dynamic);
  }
}

TEST_F(Layer, Mxfp8OnTheModel) {
  write_layer(false);
  const std::vector<float> golden =
      by_codes({"--format-b", "mxfp8_e4m3", "--format-a", "mxfp4_e2m1"}, {3, kRows});
  expect_same(by_layer({"--format-a", "mxfp4_e2m1"}, {3, kRows}), golden);
  expect_same(by_layer({"--format-a", "mxfp4_e2m1"}, {3, kRows}, "model"), golden);
}

TEST_F(Layer, ExpertsAndBias) {
  write_layer(false, 2);
  const Words formats{"--format-b", "mxfp8_e4m3", "--format-a", "mxfp8_e4m3"};
  const std::vector<float> both = by_codes(formats, {2, 3, kRows});
  const Words of_a{"--format-a", "mxfp8_e4m3"};
  expect_same(by_layer(of_a, {2, 3, kRows}), both);
  Words second = of_a;
  second.insert(second.end(), {"--expert", "1"});
  expect_same(by_layer(second, {3, kRows}), {both.begin() + 3 * kRows, both.end()});

  std::vector<float> bias(2 * kRows);
  for (std::size_t i = 0; i < bias.size(); i++) bias[i] = static_cast<float>(i) - 4.5f;
  const Bytes file = numerics::read_file(path("m.safetensors"));
  std::vector<NamedTensor> tensors = numerics::parse_safetensors(file.data(), file.size(), "m");
  tensors.push_back(floats("up.bias", {2, kRows}, bias));
  write_file("m.safetensors", tensors);
  write_floats("first.npy", {bias.begin(), bias.begin() + kRows}, {kRows});
  write_floats("second.npy", {bias.begin() + kRows, bias.end()}, {kRows});
  const std::vector<float> whole = by_layer(of_a, {2, 3, kRows});
  const auto with_bias = [&](const char* expert, const char* row) {
    return by_layer({"--format-a", "mxfp8_e4m3", "--expert", expert, "--bias", path(row)},
                    {3, kRows});
  };
  expect_same({whole.begin(), whole.begin() + 3 * kRows}, with_bias("0", "first.npy"));
  expect_same({whole.begin() + 3 * kRows, whole.end()}, with_bias("1", "second.npy"));
  expect_same(by_layer(second, {3, kRows}), with_bias("1", "second.npy"));
}

TEST_F(Layer, BadInput) {
  write_layer(true);
  const std::string file = path("m.safetensors"), a = path("a.npy");
  const auto wrong = [&](const Words& more, const std::string& message) {
    Words words{"matmul", a};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--on", "golden"});
    expect_error(words, message);
  };
  wrong({file, "--layer", "down"}, "m.safetensors: there is no layer 'down' (allowed: up)");
  wrong({a, "--layer", "up"}, "a.npy");
  wrong({path("none"), "--layer", "up"}, "none");
  wrong({file, "--layer", "up", "--expert", "0"}, "it has no experts");
  wrong({file, "--layer", "up", "--format-b", "nvfp4"}, "excludes");
  wrong({file, "--layer", "up", "--transpose-b"}, "excludes");
  wrong({file, "--layer", "up", "--preset-a", "nvfp4-te"},
        "--preset-a, --block-a and --scale-format-a need --format-a");
  wrong({a, "--expert", "0", "--format-a", "nvfp4", "--format-b", "nvfp4"}, "--layer");
  wrong({a, "--format-b", "mxint8"}, "--format-a is required");
  wrong({a, "--format-a", "mxint8"}, "--format-b is required");
  expect_error({"matmul", a, file, "--layer", "up", "--on", "model", "--set", "NVFP4=0"},
               "NVFP4 needs NVFP4 = 1");
}

}  // namespace
}  // namespace mxe::test
