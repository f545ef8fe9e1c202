// SPDX-License-Identifier: Apache-2.0
// Quantizers by name: formats, presets, custom scales, axes; what recorded data cannot show.
#include "model/numerics/presets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/numerics/format_info.h"
#include "model/numerics/log2.h"
#include "model/numerics/quantize.h"

namespace mx {
namespace {

QuantizedArray run(const std::vector<float>& x, const std::vector<std::size_t>& shape,
                   const Quantizer& quantizer, int axis = -1) {
  QuantizeRequest request;
  request.axis = axis;
  return quantize(x.data(), shape, quantizer.format, quantizer.options, request);
}

std::vector<float> normals(std::size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(count);
  for (float& value : x) value = normal(random);
  return x;
}

TEST(Presets, NamesAreUniqueAndAllWork) {
  const std::vector<std::string> names = preset_names();
  EXPECT_EQ(names.size(), 38u);
  for (const std::string& name : names) {
    const std::string format = name.rfind("nvfp4", 0) == 0 ? "nvfp4" : "mxfp4_e2m1";
    const QuantizedArray q = run({1.0f, -3.0f}, {2}, make_quantizer(format, name));
    EXPECT_NEAR(q.dequantized[0], 1.0f, 0.15f) << name;
    EXPECT_NEAR(q.dequantized[1], -3.0f, 0.25f) << name;
  }
}

TEST(Presets, ErrorsSayWhatIsAllowed) {
  auto error = [](const char* format, const char* preset) -> std::string {
    try {
      make_quantizer(format, preset);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(error("mxfp4_e2m1", "ocp2").find("microxcaling-even"), std::string::npos);
  EXPECT_NE(error("fp4", "ocp").find("mxfp4_e2m1"), std::string::npos);
  EXPECT_NE(error("mxint8", "torchao-floor").find("floating-point"), std::string::npos);
  EXPECT_NE(error("mxfp8_e4m3", "modelopt-mxfp4").find("mxfp4_e2m1"), std::string::npos);
  EXPECT_NE(error("nvfp4", "pychop").find("other than nvfp4"), std::string::npos);
  for (const char* bad : {"e9m3", "e4m", "em3", "e1m0x", "int1", "int17", "int", "e0m3", "e8m3",
                          "e99m99", "", "e", "i"}) {
    EXPECT_NE(error(bad, "ocp"), "") << bad;
  }
}

TEST(Presets, CustomFormats) {
  const ElementFormat e3m3 = parse_any_format("e3m3");
  EXPECT_EQ(e3m3.bits, 7);
  EXPECT_EQ(e3m3.max, 30.0);
  EXPECT_EQ(parse_any_format("e4m3").max, 480.0);  // no NaN code, unlike mxfp8_e4m3
  EXPECT_EQ(parse_any_format("e1m2").max, 3.5);    // bias 0, unlike mxfp4_e1m2
  EXPECT_EQ(parse_any_format("int4").max, 1.75);
  EXPECT_EQ(parse_any_format("e5m10").bits, 16);
  for (const char* name : {"e2m1", "e3m0", "e5m3", "e2m5", "int4", "int8", "int16", "e7m8"}) {
    SCOPED_TRACE(name);
    const ElementFormat format = parse_any_format(name);
    for (uint32_t code = 0; code <= format.code_mask(); code++) {
      const double value = format.decode(code);
      if (format.kind == FormatKind::integer && code == format.sign_mask()) continue;
      ASSERT_EQ(encode(format, static_cast<float>(value)), code) << value;
    }
  }
}

TEST(Presets, WideCodes) {
  const std::vector<float> x = normals(64, 1);
  const QuantizedArray q = run(x, {64}, make_quantizer("e5m10"));
  EXPECT_TRUE(q.codes.empty());
  ASSERT_EQ(q.wide_codes.size(), 64u);
  for (std::size_t i = 0; i < 64; i++) EXPECT_NEAR(q.dequantized[i], x[i], std::fabs(x[i]) / 1024);
}

// Quantizing along an axis is quantizing the transposed array along the last one.
TEST(Quantize, AnyAxis) {
  const std::size_t rows = 70;
  const std::size_t columns = 5;
  const std::vector<float> x = normals(rows * columns, 2);
  std::vector<float> transposed(x.size());
  for (std::size_t i = 0; i < rows; i++) {
    for (std::size_t j = 0; j < columns; j++) transposed[j * rows + i] = x[i * columns + j];
  }
  const Quantizer quantizer = make_quantizer("mxfp6_e2m3");
  const QuantizedArray along = run(x, {rows, columns}, quantizer, 0);
  const QuantizedArray last = run(transposed, {columns, rows}, quantizer);
  EXPECT_EQ(along.scale_shape, (std::vector<std::size_t>{3, columns}));
  EXPECT_EQ(last.scale_shape, (std::vector<std::size_t>{columns, 3}));
  for (std::size_t j = 0; j < columns; j++) {
    for (std::size_t i = 0; i < rows; i++) {
      EXPECT_EQ(along.codes[i * columns + j], last.codes[j * rows + i]);
    }
    for (std::size_t b = 0; b < 3; b++) {
      EXPECT_EQ(along.scale_codes[b * columns + j], last.scale_codes[j * 3 + b]);
    }
  }
  // A middle axis of three.
  const QuantizedArray middle = run(x, {2, 35, columns}, quantizer, 1);
  EXPECT_EQ(middle.scale_shape, (std::vector<std::size_t>{2, 2, columns}));
  EXPECT_THROW(run(x, {rows, columns}, quantizer, 2), Error);
  EXPECT_THROW(run(x, {rows, columns}, quantizer, -3), Error);
}

TEST(Quantize, AnyShape) {
  const Quantizer quantizer = make_quantizer("mxfp8_e4m3");
  const QuantizedArray scalar = run({3.0f}, {}, quantizer);
  EXPECT_EQ(scalar.dequantized, std::vector<float>{3.0f});
  const QuantizedArray empty = run({}, {4, 0}, quantizer);
  EXPECT_TRUE(empty.codes.empty());
  EXPECT_EQ(empty.scale_shape, (std::vector<std::size_t>{4, 0}));
  Quantizer odd = quantizer;
  odd.options.block_size = 7;
  EXPECT_EQ(run(normals(20, 3), {20}, odd).scales.size(), 3u);
  odd.options.block_size = 0;
  EXPECT_THROW(run({1.0f}, {1}, odd), Error);
}

TEST(Quantize, NarrowScales) {
  Quantizer quantizer = make_quantizer("mxfp4_e2m1");
  quantizer.options.scale_format = parse_scale_format("e4m0");
  // Exponents -7 to 7, code 15 is NaN.
  EXPECT_EQ(run({1e9f}, {1}, quantizer).scale_codes[0], 14);
  EXPECT_EQ(run({1e-9f}, {1}, quantizer).scale_codes[0], 0);
  EXPECT_EQ(run({4.0f}, {1}, quantizer).scale_codes[0], 7);
  EXPECT_EQ(run({NAN}, {1}, quantizer).scale_codes[0], 15);
  EXPECT_EQ(run({1e9f}, {1}, quantizer).dequantized[0], 6.0f * 128);
}

TEST(Quantize, ScalesWithSignificandBits) {
  Quantizer quantizer = make_quantizer("mxfp4_e2m1");
  quantizer.options.scale_format = parse_scale_format("e4m3");
  const QuantizedArray q = run({6.6f, 1.1f, -0.0f}, {3}, quantizer);
  EXPECT_EQ(q.scales[0], 1.125f);  // 6.6 / 6 = 1.1 lies nearest to 1.125 of 1, 1.125
  EXPECT_EQ(q.dequantized[0], 6.75f);
  EXPECT_EQ(q.dequantized[1], 1.125f);
  const QuantizedArray bad = run({INFINITY, 1.0f}, {2}, quantizer);
  EXPECT_EQ(bad.scale_codes[0], 0x7F);
  EXPECT_TRUE(std::isnan(bad.dequantized[1]));
  EXPECT_EQ(run({0.0f, 0.0f}, {2}, quantizer).dequantized[0], 0.0f);
  quantizer.options.scale_rule = ScaleRule::rceil;
  EXPECT_EQ(run({6.01f}, {1}, quantizer).scales[0], 1.125f);
  EXPECT_THROW(parse_scale_format("e9m1"), Error);
  EXPECT_THROW(parse_scale_format("e8"), Error);
  EXPECT_EQ(parse_scale_format("e5m2").name(), "e5m2");
}

TEST(Quantize, TensorScaleOverflow) {
  // A block larger than the tensor's stated amax: ModelOpt's cast overflows to NaN, torchao clamps.
  for (const auto& [preset, nan] : {std::pair("nvfp4-modelopt", true), {"nvfp4-torchao2", false}}) {
    Quantizer quantizer = make_quantizer("nvfp4", preset);
    quantizer.options.tensor_amax = 1.0f;
    EXPECT_EQ(std::isnan(run({2.0f}, {1}, quantizer).scales[0]), nan) << preset;
  }
}

TEST(Quantize, OperandsNeedOperandOptions) {
  const float x[32] = {};
  for (const char* preset : {"pychop", "quark-onnx", "quark-torch-floor"}) {
    const QuantizerOptions options = make_quantizer("mxfp4_e2m1", preset).options;
    EXPECT_THROW(quantize_rows(x, 1, 32, FormatId::mxfp4_e2m1, options), Error) << preset;
  }
  const QuantizerOptions options = make_quantizer("mxfp4_e2m1", "torchao-rceil").options;
  EXPECT_NO_THROW(quantize_rows(x, 1, 32, FormatId::mxfp4_e2m1, options));
}

TEST(Log2, AgreesWithRoundedDoublePrecision) {
  constexpr uint32_t kSeed = 31;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  auto next = [&random] { return static_cast<uint32_t>(random()); };
  for (int i = 0; i < 300000; i++) {
    // Half of them next to powers of two.
    uint32_t bits = next();
    if (i % 2 == 0) bits = (bits & 0x7F800000) + next() % 100 - 50;
    if (i % 8 == 0) bits = (uint32_t{1} << next() % 24) + next() % 60 - 30;
    bits &= 0x7FFFFFFF;
    if (bits == 0 || bits >= kInfinity) continue;
    const float log2 = static_cast<float>(std::log2(static_cast<double>(from_bits(bits))));
    const FloatParts parts = float_parts(bits);
    ASSERT_EQ(floor_log2_float32(parts), static_cast<int>(std::floor(log2))) << std::hex << bits;
    ASSERT_EQ(ceil_log2_float32(parts), static_cast<int>(std::ceil(log2))) << std::hex << bits;
  }
}

TEST(FormatInfo, Table) {
  const FormatInfo fp4 = format_info("mxfp4_e2m1");
  EXPECT_EQ(fp4.bits_per_element, 4.25);
  EXPECT_NEAR(fp4.compression_fp32, 7.529, 0.001);
  EXPECT_NEAR(fp4.compression_fp16, 3.765, 0.001);
  EXPECT_EQ(fp4.specials, "none");
  const FormatInfo nv = format_info("nvfp4");
  EXPECT_EQ(nv.bits_per_element, 4.5);
  EXPECT_EQ(nv.scale, "e4m3");
  EXPECT_EQ(nv.block_size, 16);
  EXPECT_EQ(format_info("mxfp8_e5m2").specials, "Inf, NaN");
  EXPECT_EQ(all_format_infos().size(), 8u);
}

}  // namespace
}  // namespace mx
