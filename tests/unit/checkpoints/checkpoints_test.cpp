// SPDX-License-Identifier: Apache-2.0
// Layers of checkpoints: each layout's bytes, written out here, give the codes, scales and numbers
// that were stored; files with one fault give one sentence. sw/python/tests/test_checkpoints.py
// compares values.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "model/numerics/block/presets.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/safetensors.h"
#include "model/numerics/quantize/dequantize.h"
#include "sw/checkpoints/checkpoint.h"

namespace mxe::checkpoints {
namespace {

using Bytes = std::vector<uint8_t>;
using numerics::DType;
using numerics::NamedTensor;
using Tensors = std::vector<NamedTensor>;

std::size_t count_of(const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t axis : shape) count *= axis;
  return count;
}

Bytes random_bytes(std::size_t count, unsigned seed, unsigned most = 255) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % (most + 1));
  return bytes;
}

NamedTensor tensor(const std::string& name, const char* type, const Shape& shape,
                   const Bytes& data) {
  NamedTensor made{name, type, {}};
  made.array.dtype = DType::uint8;
  made.array.shape = shape;
  made.array.data = data;
  return made;
}

NamedTensor floats(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  NamedTensor made{name, "F32", {}};
  made.array.dtype = DType::float32;
  made.array.shape = shape;
  made.array.data.resize(values.size() * sizeof(float));
  std::memcpy(made.array.data.data(), values.data(), made.array.data.size());
  return made;
}

// Two codes per byte, the first in the low nibble.
Bytes packed(const Bytes& codes) {
  Bytes bytes;
  for (std::size_t i = 0; i < codes.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(codes[i] | codes[i + 1] << 4));
  }
  return bytes;
}

Checkpoint file_of(const Tensors& tensors, const std::map<std::string, std::string>& metadata = {},
                   const std::string& method = "") {
  return {numerics::format_safetensors(tensors, metadata), "m.safetensors", {method, "", {}}};
}

/// Codes and scales of a weight, as they must be read.
struct Weight {
  Shape shape;
  Bytes codes;
  Shape scale_shape;
  Bytes scales;

  Weight(const Shape& of, std::size_t block, unsigned most_code, unsigned most_scale)
      : shape(of), codes(random_bytes(count_of(of), 1, most_code)), scale_shape(of) {
    scale_shape.back() /= block;
    scales = random_bytes(count_of(scale_shape), 2, most_scale);
  }

  Shape packed_shape() const {
    Shape half = shape;
    half.back() /= 2;
    return half;
  }
  /// The parts of one expert.
  Weight expert(std::size_t index) const {
    Weight part = *this;
    part.shape.erase(part.shape.begin());
    part.scale_shape.erase(part.scale_shape.begin());
    const auto cut = [index](Bytes& all, std::size_t size) {
      all = Bytes(all.begin() + static_cast<std::ptrdiff_t>(index * size),
                  all.begin() + static_cast<std::ptrdiff_t>((index + 1) * size));
    };
    cut(part.codes, count_of(part.shape));
    cut(part.scales, count_of(part.scale_shape));
    return part;
  }
};

void expect_layer(const Layer& layer, const Weight& weight, Layout layout, const char* format,
                  const char* preset) {
  EXPECT_EQ(layer.layout, layout);
  EXPECT_EQ(layer.format, format);
  EXPECT_EQ(layer.preset, preset);
  EXPECT_EQ(layer.parts.shape, weight.shape);
  EXPECT_EQ(layer.parts.codes, weight.codes);
  EXPECT_EQ(layer.parts.scale_shape, weight.scale_shape);
  EXPECT_EQ(layer.parts.scale_codes, weight.scales);
  // The parts make an array: no code is too large, and the preset has such a tensor scale.
  numerics::assemble(layer.parts,
                     numerics::make_quantizer(layer.format, layer.preset, layer.switches));
}

void expect_error(const std::function<void()>& act, const std::string& text) {
  try {
    act();
    ADD_FAILURE() << "no error: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos)
        << error.what() << "\nhas no: " << text;
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

const Weight& nv_weight() {
  static const Weight weight({6, 64}, 16, 15, 0x7E);
  return weight;
}
const Weight& mx_weight() {
  static const Weight weight({6, 64}, 32, 15, 254);
  return weight;
}
const Weight& nv_experts() {
  static const Weight weight({3, 2, 64}, 16, 15, 0x7E);
  return weight;
}

Tensors modelopt(const Weight& weight, const std::string& name = "a.b") {
  return {tensor(name + ".weight", "U8", weight.packed_shape(), packed(weight.codes)),
          tensor(name + ".weight_scale", "F8_E4M3", weight.scale_shape, weight.scales),
          floats(name + ".weight_scale_2", {}, {0.0078125f})};
}

TEST(Checkpoints, ModelOptNvfp4) {
  Tensors tensors = modelopt(nv_weight());
  tensors.push_back(floats("a.b.input_scale", {}, {0.25f}));
  tensors.push_back(floats("a.b.bias", {6}, {1, 2, 3, 4, 5, 6}));
  tensors.push_back(floats("norm.weight", {4}, {1, 1, 1, 1}));
  const Checkpoint file = file_of(tensors, {}, "modelopt");
  ASSERT_EQ(file.layers().size(), 1u);
  for (const char* name : {"a.b", "a.b.weight"}) {
    const Layer layer = file.read(name);
    expect_layer(layer, nv_weight(), Layout::modelopt_nvfp4, "nvfp4", "nvfp4-modelopt");
    EXPECT_EQ(layer.name, "a.b");
    EXPECT_EQ(layer.parts.tensor_scale, 0.0078125f);
    EXPECT_EQ(layer.input_scale, 0.25f);
    EXPECT_EQ(layer.bias, (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(layer.bias_shape, Shape{6});
  }
}

TEST(Checkpoints, ModelOptNvfp4OfExperts) {
  Tensors tensors = modelopt(nv_experts());
  tensors[2] = floats("a.b.weight_scale_2", {3}, {1, 2, 4});
  const Checkpoint file = file_of(tensors);
  const Layer layer = file.read("a.b", 1);
  expect_layer(layer, nv_experts().expert(1), Layout::modelopt_nvfp4, "nvfp4", "nvfp4-modelopt");
  EXPECT_EQ(layer.parts.tensor_scale, 2.0f);
  expect_error([&] { file.read("a.b"); },
               "m.safetensors: tensor 'a.b.weight_scale_2' has a number for each expert: choose "
               "one expert (allowed: 0 to 2)");
  expect_error([&] { file.read("a.b", 3); }, "has no expert 3 (allowed: 0 to 2)");
  tensors[2] = floats("a.b.weight_scale_2", {3}, {2, 2, 2});
  EXPECT_EQ(file_of(tensors).read("a.b").parts.tensor_scale, 2.0f);
}

TEST(Checkpoints, CompressedTensors) {
  const Weight& weight = nv_weight();
  const Checkpoint nvfp4 =
      file_of({tensor("x.weight_packed", "U8", weight.packed_shape(), packed(weight.codes)),
               tensor("x.weight_scale", "F8_E4M3", weight.scale_shape, weight.scales),
               floats("x.weight_global_scale", {1}, {341.5f}),
               floats("x.input_global_scale", {1}, {6.5f})});
  const Layer layer = nvfp4.read("x");
  expect_layer(layer, weight, Layout::compressed_tensors_nvfp4, "nvfp4",
               "nvfp4-compressed-tensors");
  EXPECT_EQ(layer.parts.tensor_scale, 341.5f);
  EXPECT_EQ(layer.input_scale, 6.5f);
  const Weight& mx = mx_weight();
  const Checkpoint mxfp4 =
      file_of({tensor("x.weight_packed", "U8", mx.packed_shape(), packed(mx.codes)),
               tensor("x.weight_scale", "U8", mx.scale_shape, mx.scales)});
  expect_layer(mxfp4.read("x"), mx, Layout::compressed_tensors_mxfp4, "mxfp4_e2m1", "ocp");
}

TEST(Checkpoints, Mxfp8HasThePresetOfItsSystem) {
  const Weight weight({6, 64}, 32, 255, 254);
  const auto file = [&weight](const char* type, const std::string& method) {
    return file_of({tensor("x.weight", type, weight.shape, weight.codes),
                    tensor("x.weight_scale", "U8", weight.scale_shape, weight.scales)},
                   {}, method);
  };
  const char* e4m3 = "mxfp8_e4m3";
  expect_layer(file("F8_E4M3", "").read("x"), weight, Layout::mxfp8, e4m3, "modelopt-mxfp8");
  expect_layer(file("F8_E4M3", "modelopt").read("x"), weight, Layout::mxfp8, e4m3,
               "modelopt-mxfp8");
  expect_layer(file("F8_E4M3", "compressed-tensors").read("x"), weight, Layout::mxfp8, e4m3, "ocp");
  expect_layer(file("F8_E4M3", "quark").read("x"), weight, Layout::mxfp8, e4m3, "quark-torch-even");
  expect_layer(file("F8_E5M2", "").read("x"), weight, Layout::mxfp8, "mxfp8_e5m2", "ocp");
  expect_error([&] { file("F8_E4M3", "torchao").read("x"); },
               "m.safetensors: tensor 'x.weight' is stored as MXFP8, but the model's configuration "
               "has the quant_method torchao (allowed: modelopt, compressed-tensors, quark)");
}

TEST(Checkpoints, QuarkMxfp4) {
  const Weight& weight = mx_weight();
  const Checkpoint file =
      file_of({tensor("x.weight", "U8", weight.packed_shape(), packed(weight.codes)),
               tensor("x.weight_scale", "U8", weight.scale_shape, weight.scales)});
  expect_layer(file.read("x"), weight, Layout::quark_mxfp4, "mxfp4_e2m1", "quark-torch-even");
}

// Four codes of 6 bits in three bytes, the first in the lowest bits.
Bytes packed_6_bits(const Bytes& codes) {
  Bytes bytes;
  for (std::size_t i = 0; i < codes.size(); i += 4) {
    const uint32_t four = codes[i] | static_cast<uint32_t>(codes[i + 1]) << 6 |
                          static_cast<uint32_t>(codes[i + 2]) << 12 |
                          static_cast<uint32_t>(codes[i + 3]) << 18;
    for (const int shift : {0, 8, 16}) bytes.push_back(static_cast<uint8_t>(four >> shift));
  }
  return bytes;
}

TEST(Checkpoints, QuarkMxfp6) {
  const Weight weight({6, 64}, 32, 63, 254);
  const Tensors tensors = {tensor("a.up.weight", "U8", {6, 48}, packed_6_bits(weight.codes)),
                           tensor("a.up.weight_scale", "U8", weight.scale_shape, weight.scales)};
  const auto read = [&tensors](const Configuration& configuration) {
    return Checkpoint(numerics::format_safetensors(tensors, {}), "m.safetensors", configuration)
        .read("a.up");
  };
  const auto expect_format = [&](const char* format, const Configuration& configuration) {
    SCOPED_TRACE(format);
    expect_layer(read(configuration), weight, Layout::quark_mxfp6, format, "quark-torch-even");
  };
  expect_format("mxfp6_e2m3", {"quark", "fp6_e2m3", {}});
  expect_format("mxfp6_e3m2", {"", "fp6_e3m2", {}});
  // The first pattern that matches the whole name counts.
  for (const char* pattern : {"a.up", "*", "*up", "a*", "a.??", "*.u*", "a*u*p*", "*a.up"}) {
    SCOPED_TRACE(pattern);
    expect_format("mxfp6_e3m2", {"", "fp6_e2m3", {{pattern, "fp6_e3m2"}, {"*", "fp6_e2m3"}}});
  }
  for (const char* pattern : {"", "a.u", "?", "up", "*u", "a.up?", "a.???", "b*", "*.down"}) {
    SCOPED_TRACE(pattern);
    expect_format("mxfp6_e2m3", {"", "fp6_e2m3", {{pattern, "fp6_e3m2"}}});
  }
  const std::string message =
      "m.safetensors: tensor 'a.up.weight' is stored as Quark MXFP6, for "
      "which config.json must name the dtype of the weight, but it names ";
  expect_error([&] { read({}); }, message + "none (allowed: fp6_e2m3, fp6_e3m2)");
  expect_error([&] { read({"quark", "fp4", {}}); }, message + "fp4 (allowed:");
  expect_error([&] { read({"modelopt", "fp6_e2m3", {}}); }, "has the quant_method modelopt");
}

TEST(Checkpoints, GptOss) {
  const Weight weight({2, 6, 64}, 32, 15, 254);
  const Shape blocks = {2, 6, 2, 16};
  NamedTensor bias = floats("m.mlp1_bias", {2, 6}, std::vector<float>(12, 0.5f));
  const Checkpoint original =
      file_of({tensor("m.mlp1_weight.blocks", "U8", blocks, packed(weight.codes)),
               tensor("m.mlp1_weight.scales", "U8", weight.scale_shape, weight.scales), bias});
  const Layer layer = original.read("m.mlp1_weight");
  expect_layer(layer, weight, Layout::gpt_oss_mxfp4, "mxfp4_e2m1", "ocp");
  EXPECT_EQ(layer.bias_shape, (Shape{2, 6}));
  expect_layer(original.read("m.mlp1_weight", 1), weight.expert(1), Layout::gpt_oss_mxfp4,
               "mxfp4_e2m1", "ocp");
  EXPECT_EQ(original.read("m.mlp1_weight", 1).bias_shape, Shape{6});
  bias.name = "m.gate_up_proj_bias";
  const Checkpoint transformers =
      file_of({tensor("m.gate_up_proj_blocks", "U8", blocks, packed(weight.codes)),
               tensor("m.gate_up_proj_scales", "U8", weight.scale_shape, weight.scales), bias},
              {}, "mxfp4");
  expect_layer(transformers.read("m.gate_up_proj"), weight, Layout::gpt_oss_mxfp4, "mxfp4_e2m1",
               "ocp");
  EXPECT_EQ(transformers.read("m.gate_up_proj").bias.size(), 12u);
}

TEST(Checkpoints, Torchao) {
  const Weight fp8({6, 64}, 32, 255, 254);
  const Checkpoint mx =
      file_of({tensor("a._weight_qdata", "F8_E4M3", fp8.shape, fp8.codes),
               tensor("a._weight_scale", "F8_E8M0", fp8.scale_shape, fp8.scales)},
              {{"a.weight", R"({"_type": "MXTensor", "_data": {"block_size": 32}})"}});
  expect_layer(mx.read("a"), fp8, Layout::torchao_mx, "mxfp8_e4m3", "torchao-floor");

  const Weight wide({6, 128}, 64, 15, 254);
  const Checkpoint blocks_of_64 =
      file_of({tensor("a.b._w1_qdata", "U8", wide.packed_shape(), packed(wide.codes)),
               tensor("a.b._w1_scale", "F8_E8M0", wide.scale_shape, wide.scales)},
              {{"a.b.w1", R"({"_type": "MXTensor", "_data": {"block_size": 64}})"}});
  expect_layer(blocks_of_64.read("a.b.w1"), wide, Layout::torchao_mx, "mxfp4_e2m1",
               "torchao-floor");

  const Weight& nv = nv_weight();
  Tensors tensors = {tensor("a._weight_qdata", "U8", nv.packed_shape(), packed(nv.codes)),
                     tensor("a._weight_scale", "F8_E4M3", nv.scale_shape, nv.scales)};
  expect_layer(file_of(tensors).read("a"), nv, Layout::torchao_nvfp4, "nvfp4", "nvfp4-torchao1");
  tensors.push_back(floats("a._weight_per_tensor_scale", {}, {0.5f}));
  tensors.push_back(floats("a._weight_act_per_tensor_scale", {}, {0.125f}));
  const Layer two = file_of(tensors).read("a.weight");
  expect_layer(two, nv, Layout::torchao_nvfp4, "nvfp4", "nvfp4-torchao2");
  EXPECT_EQ(two.parts.tensor_scale, 0.5f);
  EXPECT_EQ(two.input_scale, 0.125f);
  EXPECT_TRUE(file_of(tensors, {{"a.weight", R"({"_type": "Int4Tensor"})"}}).layers().empty());
}

TEST(Checkpoints, TorchaoSwizzledScales) {
  const Weight& nv = nv_weight();
  // Rows 0 to 5 of the only tile: byte row * 16 + column of 128 x 4 scales.
  Bytes swizzled(512, 0);
  for (std::size_t row = 0; row < 6; row++) {
    for (std::size_t column = 0; column < 4; column++) {
      swizzled[row * 16 + column] = nv.scales[row * 4 + column];
    }
  }
  const std::map<std::string, std::string> metadata = {
      {"a.weight", R"({"_type": "NVFP4Tensor", "_data": {"is_swizzled_scales": true}})"}};
  const auto file = [&](std::size_t rows) {
    return file_of({tensor("a._weight_qdata", "U8", nv.packed_shape(), packed(nv.codes)),
                    tensor("a._weight_scale", "F8_E4M3", {rows, 4}, Bytes(rows * 4))},
                   metadata);
  };
  const Checkpoint whole =
      file_of({tensor("a._weight_qdata", "U8", nv.packed_shape(), packed(nv.codes)),
               tensor("a._weight_scale", "F8_E4M3", {32, 16}, swizzled)},
              metadata);
  expect_layer(whole.read("a"), nv, Layout::torchao_nvfp4, "nvfp4", "nvfp4-torchao1");
  expect_error([&] { file(6).read("a"); },
               "tensor 'a._weight_scale' has 24 bytes, but swizzled scales of [6, 4] have 512");
}

// A GGUF file of version 3.
class Gguf {
 public:
  template <typename T>
  static void append(Bytes& to, T value) {
    const std::size_t at = to.size();
    to.resize(at + sizeof value);
    std::memcpy(to.data() + at, &value, sizeof value);
  }
  static void append_text(Bytes& to, const std::string& text) {
    append<uint64_t>(to, text.size());
    to.insert(to.end(), text.begin(), text.end());
  }

  void add(const std::string& name, uint32_t type, const std::vector<uint64_t>& axes,
           const Bytes& data) {
    append_text(infos_, name);
    append<uint32_t>(infos_, static_cast<uint32_t>(axes.size()));
    for (const uint64_t axis : axes) append(infos_, axis);
    append(infos_, type);
    append<uint64_t>(infos_, data_.size());
    data_.insert(data_.end(), data.begin(), data.end());
    data_.resize((data_.size() + 31) / 32 * 32);
    count_++;
  }
  void add_float(const std::string& name, float value) {
    Bytes bytes;
    append(bytes, value);
    add(name, 0, {1}, bytes);
  }
  Bytes bytes(uint32_t version = 3) const {
    Bytes file = {'G', 'G', 'U', 'F'};
    append(file, version);
    append<uint64_t>(file, count_);
    append<uint64_t>(file, 3);
    append_text(file, "general.name");
    append<uint32_t>(file, 8);
    append_text(file, "a name");
    append_text(file, "general.alignment");
    append<uint32_t>(file, 4);
    append<uint32_t>(file, 32);
    append_text(file, "list");
    append<uint32_t>(file, 9);
    append<uint32_t>(file, 5);
    append<uint64_t>(file, 2);
    append<uint64_t>(file, 0);
    file.insert(file.end(), infos_.begin(), infos_.end());
    file.resize((file.size() + 31) / 32 * 32);
    file.insert(file.end(), data_.begin(), data_.end());
    return file;
  }

 private:
  Bytes infos_, data_;
  uint64_t count_ = 0;
};

// `scales` scales, then the codes of their blocks: byte j of a block of `block` elements holds the
// elements j and j + block / 2.
Bytes ggml_blocks(const Weight& weight, std::size_t scales, std::size_t block) {
  Bytes bytes;
  for (std::size_t at = 0; at < weight.codes.size(); at += scales * block) {
    for (std::size_t s = 0; s < scales; s++) bytes.push_back(weight.scales[at / block + s]);
    for (std::size_t s = 0; s < scales; s++) {
      const uint8_t* codes = &weight.codes[at + s * block];
      for (std::size_t j = 0; j < block / 2; j++) {
        bytes.push_back(static_cast<uint8_t>(codes[j] | codes[j + block / 2] << 4));
      }
    }
  }
  return bytes;
}

TEST(Checkpoints, Gguf) {
  const Weight mx({2, 6, 64}, 32, 15, 254);
  const Weight nv({6, 128}, 16, 15, 0x7E);
  Gguf gguf;
  gguf.add("blk.0.exps.weight", 39, {64, 6, 2}, ggml_blocks(mx, 1, 32));
  gguf.add("blk.0.up.weight", 40, {128, 6}, ggml_blocks(nv, 4, 16));
  gguf.add("blk.1.up.weight", 40, {128, 6}, ggml_blocks(nv, 4, 16));
  gguf.add_float("blk.1.up.scale", 0.5f);
  gguf.add_float("blk.1.up.input_scale", 0.25f);
  gguf.add("other", 12, {256}, Bytes(144));
  for (const uint32_t version : {2u, 3u}) {
    const Checkpoint file(gguf.bytes(version), "m.gguf");
    EXPECT_EQ(file.layers().size(), 3u);
    expect_layer(file.read("blk.0.exps"), mx, Layout::gguf_mxfp4, "mxfp4_e2m1", "ocp");
    expect_layer(file.read("blk.0.exps.weight", 1), mx.expert(1), Layout::gguf_mxfp4, "mxfp4_e2m1",
                 "ocp");
    const Layer plain = file.read("blk.0.up");
    expect_layer(plain, nv, Layout::gguf_nvfp4, "nvfp4", "nvfp4-modelopt");
    EXPECT_EQ(plain.parts.tensor_scale, 1.0f);
    EXPECT_FALSE(plain.input_scale);
    const Layer scaled = file.read("blk.1.up");
    EXPECT_EQ(scaled.parts.tensor_scale, 0.5f);
    EXPECT_EQ(scaled.input_scale, 0.25f);
  }
}

TEST(Checkpoints, ValuesOfGgufHaveNoNegativeZero) {
  Weight mx({1, 32}, 32, 15, 254);
  mx.codes.assign(32, 8);
  mx.codes[1] = 9;
  mx.scales = {127};
  Gguf gguf;
  gguf.add("w.weight", 39, {32, 2}, [&mx] {
    Bytes two = ggml_blocks(mx, 1, 32);
    const Bytes one = two;
    two.insert(two.end(), one.begin(), one.end());
    return two;
  }());
  const Layer layer = Checkpoint(gguf.bytes(), "m.gguf").read("w");
  const std::vector<float> values = numerics::dequantize(numerics::assemble(
      layer.parts, numerics::make_quantizer(layer.format, layer.preset, layer.switches)));
  EXPECT_FALSE(std::signbit(values[0]));
  EXPECT_EQ(values[1], -0.5f);
}

TEST(Checkpoints, DamagedGguf) {
  Gguf gguf;
  gguf.add("w.weight", 40, {128, 6}, ggml_blocks(Weight({6, 128}, 16, 15, 0x7E), 4, 16));
  const Bytes whole = gguf.bytes();
  for (std::size_t size = 4; size + 16 < whole.size(); size += size < 300 ? 1 : 29) {
    EXPECT_THROW(Checkpoint(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)),
                            "m.gguf"),
                 Error)
        << size;
  }
  expect_error([&] { Checkpoint(gguf.bytes(4), "m.gguf"); },
               "m.gguf: GGUF version 4 (allowed: 2, 3, little endian)");
  const auto with = [](uint32_t type, const std::vector<uint64_t>& axes) {
    Gguf one;
    one.add("w.weight", type, axes, Bytes(64));
    Checkpoint(one.bytes(), "m.gguf");
  };
  expect_error([&] { with(39, {48, 2}); }, "rows of 48 elements (allowed: multiples of 32");
  expect_error([&] { with(39, {uint64_t{1} << 40, uint64_t{1} << 40}); }, "shape is too large");
  expect_error([&] { with(39, {uint64_t{1} << 40, 2}); }, "its data lies outside the file");
  expect_error([&] { with(0, {1, 1, 1, 1, 1}); }, "has 5 axes (allowed: 0 to 4)");
  Gguf twice;
  twice.add_float("w", 1);
  twice.add_float("w", 1);
  expect_error([&] { Checkpoint(twice.bytes(), "m.gguf"); }, "tensor 'w' occurs twice");
}

TEST(Checkpoints, FaultsOfLayers) {
  struct Case {
    std::function<void(Tensors&)> spoil;
    std::string message;
  };
  const Weight& nv = nv_weight();
  const Case cases[] = {
      {[](Tensors& t) { t.pop_back(); },
       "m.safetensors: there is no tensor 'a.b.weight_scale_2', the scale of the whole tensor of "
       "layer 'a.b'"},
      {[&nv](Tensors& t) {
         t[1] = tensor("a.b.weight_scale", "F8_E4M3", {6, 3}, Bytes(18, nv.scales[0]));
       },
       "tensor 'a.b.weight_scale' must be [6, 4], but is [6, 3]"},
      {[&nv](Tensors& t) {
         t[1] = tensor("a.b.weight_scale", "F8_E5M2", {6, 4}, nv.scales);
       },
       "tensor 'a.b.weight_scale' is F8_E5M2 (allowed for ModelOpt NVFP4: F8_E4M3)"},
      {[](Tensors& t) {
         t[2] = floats("a.b.weight_scale_2", {2}, {1, 1});
       },
       "tensor 'a.b.weight_scale_2' must have one element, but is [2]"},
      {[](Tensors& t) { t[2] = floats("a.b.weight_scale_2", {}, {0}); },
       "tensor 'a.b.weight_scale_2' is 0 (allowed: finite numbers above 0)"},
      {[](Tensors& t) { t[2] = tensor("a.b.weight_scale_2", "U8", {1}, {1}); },
       "tensor 'a.b.weight_scale_2' is U8 (allowed: F32, F16, BF16)"},
      {[](Tensors& t) {
         t.push_back(floats("a.b.bias", {5}, {1, 2, 3, 4, 5}));
       },
       "tensor 'a.b.bias' must be [6], but is [5]"},
      {[](Tensors& t) { t[0] = tensor("a.b.weight", "U8", {192}, Bytes(192)); },
       "tensor 'a.b.weight' must have two axes or more"},
  };
  for (const Case& one : cases) {
    Tensors tensors = modelopt(nv);
    one.spoil(tensors);
    expect_error([&] { file_of(tensors).read("a.b"); }, one.message);
  }
  const Checkpoint good = file_of(modelopt(nv));
  expect_error([&] { good.read("a.c"); }, "m.safetensors: there is no layer 'a.c' (allowed: a.b)");
  expect_error([&] { good.read("a.b", 0); }, "is one matrix, [6, 64]: it has no experts");
  expect_error(
      [] {
        file_of({floats("w.weight", {2, 2}, {1, 2, 3, 4})}).read("w");
      },
      "m.safetensors: no layer is stored in a layout that MXE reads");
  expect_error([&] { file_of(modelopt(nv), {}, "compressed-tensors").read("a.b"); },
               "is stored as ModelOpt NVFP4, but the model's configuration has the quant_method "
               "compressed-tensors (allowed: modelopt)");
  EXPECT_EQ(file_of(modelopt(nv), {}, "fp8").read("a.b").name, "a.b");  // unknown: no claim
}

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("mxe_checkpoints_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  void write(const std::string& name, const Tensors& tensors) const {
    const Bytes bytes = numerics::format_safetensors(tensors);
    numerics::write_file(path(name), bytes.data(), bytes.size());
  }

  std::filesystem::path folder_;
};

TEST_F(Folder, ShardsOfAnIndex) {
  Tensors first = modelopt(nv_weight());
  const Tensors second = {first.back()};
  first.pop_back();
  write("model-1.safetensors", first);
  write("model-2.safetensors", second);
  const std::string index = "model.safetensors.index.json";
  write(index, R"({"weight_map": {"a.b.weight": "model-1.safetensors",
                                  "a.b.weight_scale_2": "model-2.safetensors"}})");
  write("config.json", R"({"quantization_config": {"quant_method": "modelopt"}})");
  for (const std::string& name : {path(index), folder_.string()}) {
    const Checkpoint file(name);
    EXPECT_EQ(file.configuration().method, "modelopt");
    EXPECT_EQ(file.read("a.b").parts.tensor_scale, 0.0078125f);
  }
  expect_error([&] { Checkpoint(path("model-1.safetensors")).read("a.b"); },
               "there is no tensor 'a.b.weight_scale_2'");
  write("model-2.safetensors", first);
  expect_error([&] { Checkpoint(path(index)); }, "tensor 'a.b.weight' is in another shard, too");
  write(index, R"({"weight_map": {"a": "../model-1.safetensors"}})");
  expect_error([&] { Checkpoint(path(index)); }, "tensor 'a' is in no file of this folder");
  write(index, "[]");
  expect_error([&] { Checkpoint(path(index)); }, "has no object 'weight_map'");
  write(index, "{");
  expect_error([&] { Checkpoint(path(index)); }, "index.json:1: not valid JSON");
}

TEST_F(Folder, ConfigurationOfModelOpt) {
  write("model.safetensors", modelopt(nv_weight()));
  write("hf_quant_config.json", R"({"producer": {"name": "modelopt"}})");
  EXPECT_EQ(Checkpoint(folder_.string()).configuration().method, "modelopt");
  std::filesystem::remove(path("model.safetensors"));
  expect_error([&] { Checkpoint(folder_.string()); }, "no checkpoint in this folder");
  expect_error([&] { Checkpoint(path("none.gguf")); }, "none.gguf");
  write("empty.gguf", "");
  expect_error([&] { Checkpoint(path("empty.gguf")); }, "not a .safetensors file");
}

}  // namespace
}  // namespace mxe::checkpoints
