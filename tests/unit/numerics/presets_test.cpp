// SPDX-License-Identifier: Apache-2.0
// Quantizers by name: formats, presets, custom scales, axes, without recorded data.
#include "model/numerics/block/presets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "model/numerics/block/format_info.h"
#include "model/numerics/formats/log2.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {
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
  EXPECT_EQ(names.size(), 48u);
  for (const std::string& name : names) {
    std::string format = name.rfind("nvfp4", 0) == 0 ? "nvfp4" : "mxfp4_e2m1";
    if (name == "modelopt-mxfp8") format = "mxfp8_e4m3";
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
  EXPECT_NE(error("mxfp4_e2m1", "ocp2").find("nearest: ocp, "), std::string::npos);
  EXPECT_NE(error("mxfp4_e2m1", "torchao").find("nearest: torchao-floor, torchao-ceil, "),
            std::string::npos);
  EXPECT_NE(error("mxfp4_e2m1", "rceil").find("nearest: ocp-rceil, torchao-rceil, "),
            std::string::npos);
  EXPECT_NE(error("mxfp4_e2m1", "").find("nearest: "), std::string::npos);
  EXPECT_NE(error("mxfp4_e2m1", "modelopt-mxfp8").find("allowed: mxfp8_e4m3"), std::string::npos);
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

TEST(Presets, FormatsUnderTheNamesOfOthers) {
  for (const auto& [theirs, ours] : {std::pair("float8_e4m3fn", "mxfp8_e4m3"),
                                     {"fp8_e4m3", "mxfp8_e4m3"},
                                     {"float8_e5m2", "mxfp8_e5m2"},
                                     {"float6_e2m3fn", "mxfp6_e2m3"},
                                     {"fp6_e3m2", "mxfp6_e3m2"},
                                     {"float4_e2m1fn", "mxfp4_e2m1"},
                                     {"fp4_e2m1", "mxfp4_e2m1"}}) {
    EXPECT_EQ(parse_any_format(theirs).name, ours);
    EXPECT_EQ(make_quantizer(theirs, "torchao-floor").format.name, ours);
  }
}

TEST(Presets, EveryOneNamesARelease) {
  for (const PresetInfo& info : preset_infos()) {
    EXPECT_FALSE(info.release.empty()) << info.name;
    EXPECT_FALSE(info.formats.empty()) << info.name;
  }
}

// Rounds up with the probability of the remainder, for any number of threads; the seed matters.
TEST(Quantize, StochasticRounding) {
  constexpr std::size_t kCount = 1 << 16;
  std::vector<float> x(kCount, 1.125f);  // 1/4 of the way from 1 to 1.5
  for (std::size_t i = 0; i < kCount; i += 16) x[i] = 6.0f;
  Quantizer quantizer = make_quantizer("mxfp4_e2m1");
  quantizer.options.rounding = Rounding::stochastic;
  quantizer.options.seed = 5;
  const QuantizedArray one = run(x, {64, kCount / 64}, quantizer);
  const auto up = std::count(one.dequantized.begin(), one.dequantized.end(), 1.5f);
  const auto down = std::count(one.dequantized.begin(), one.dequantized.end(), 1.0f);
  EXPECT_EQ(static_cast<std::size_t>(up + down), kCount - kCount / 16);
  EXPECT_NEAR(static_cast<double>(up) / static_cast<double>(up + down), 0.25, 0.01);
  QuantizeRequest request;
  request.threads = 3;
  const QuantizedArray threads =
      quantize(x.data(), {64, kCount / 64}, quantizer.format, quantizer.options, request);
  EXPECT_EQ(threads.codes, one.codes);
  // Computed by another program: element 1 of seed 5 uses mix64(mix64(5) + 1).
  EXPECT_EQ(random_bits(5, 1), 0xE17B6D147DA182DAu);
  EXPECT_EQ(one.dequantized[1], random_bits(5, 1) < uint64_t{1} << 62 ? 1.5f : 1.0f);
  quantizer.options.seed = 6;
  EXPECT_NE(run(x, {64, kCount / 64}, quantizer).codes, one.codes);
  EXPECT_EQ(run({1.5f, -6.0f, 0.5f}, {3}, quantizer).dequantized,
            (std::vector<float>{1.5f, -6.0f, 0.5f}));
}

TEST(Quantize, SquareBlocks) {
  const Quantizer quantizer = make_quantizer("nvfp4", "nvfp4-te-2d");
  const std::vector<float> x = normals(2 * 40 * 24, 9);
  const QuantizedArray rows = run(x, {2, 40, 24}, quantizer, 2);
  const QuantizedArray columns = run(x, {2, 40, 24}, quantizer, 1);
  EXPECT_EQ(rows.codes, columns.codes);
  EXPECT_EQ(rows.dequantized, columns.dequantized);
  EXPECT_EQ(rows.scale_shape, (std::vector<std::size_t>{2, 40, 2}));
  EXPECT_EQ(columns.scale_shape, (std::vector<std::size_t>{2, 3, 24}));
  EXPECT_EQ(rows.scales[0], rows.scales[15 * 2]);
  EXPECT_NE(rows.scales[0], rows.scales[16 * 2]);
  EXPECT_THROW(run(x, {2, 40, 24}, quantizer, 0), Error);
}

TEST(Quantize, RowScales) {
  const Quantizer quantizer = make_quantizer("nvfp4", "nvfp4-te-row");
  const Quantizer whole = make_quantizer("nvfp4", "nvfp4-te");
  const std::vector<float> x = normals(3 * 40, 10);
  const QuantizedArray all = run(x, {3, 40}, quantizer);
  ASSERT_EQ(all.row_amaxes.size(), 3u);
  for (std::size_t row = 0; row < 3; row++) {
    const auto first = x.begin() + static_cast<long>(row * 40);
    const QuantizedArray one = run(std::vector<float>(first, first + 40), {40}, whole);
    EXPECT_EQ(one.tensor_amax, all.row_amaxes[row]);
    for (std::size_t i = 0; i < 40; i++) {
      EXPECT_EQ(one.dequantized[i], all.dequantized[row * 40 + i]);
    }
  }
  Quantizer given = quantizer;
  given.options.tensor_amax = 1.0f;
  EXPECT_THROW(run(x, {3, 40}, given), Error);
}

TEST(Presets, WideCodes) {
  const std::vector<float> x = normals(64, 1);
  const QuantizedArray q = run(x, {64}, make_quantizer("e5m10"));
  EXPECT_TRUE(q.codes.empty());
  ASSERT_EQ(q.wide_codes.size(), 64u);
  for (std::size_t i = 0; i < 64; i++) EXPECT_NEAR(q.dequantized[i], x[i], std::fabs(x[i]) / 1024);
}

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

// Exponent of the scale by another library's formula for amax 1.25 * 2^log2; none if it is NaN.
using PeerScale = std::optional<int> (*)(int log2, int emax, int bits);

// microxcaling, mx_ops.py _shared_exponents and _quantize_mx; as in mx/cpp/shared_exp.cuh.
std::optional<int> microxcaling_scale(int log2, int emax, int bits) {
  const int most = (1 << (bits - 1)) - 1;
  if (log2 - emax > most) return std::nullopt;
  return std::max(log2 - emax, -most);
}

// pychop 0.6.2, np/mx_formats.py: np.clip(scale_exp, min_scale_exp, max_scale_exp).
std::optional<int> pychop_scale(int log2, int emax, int bits) {
  const int bias = (1 << (bits - 1)) - 1;
  return std::clamp(log2 - emax, -bias, (1 << bits) - 2 - bias);
}

TEST(Quantize, NarrowScalesOfPeers) {
  const std::pair<const char*, PeerScale> presets[] = {
      {"microxcaling-nearest", microxcaling_scale},
      {"microxcaling-even", microxcaling_scale},
      {"microxcaling-floor", microxcaling_scale},
      {"microxcaling-even-flush", microxcaling_scale},
      {"microxcaling-cuda-nearest", microxcaling_scale},
      {"microxcaling-cuda-even", microxcaling_scale},
      {"microxcaling-cuda-floor", microxcaling_scale},
      {"pychop", pychop_scale}};
  for (const auto& [preset, formula] : presets) {
    for (const FormatId id : kAllFormats) {
      Quantizer quantizer = make_quantizer(element_format(id).name, preset);
      for (int bits = 2; bits <= 8; bits++) {
        quantizer.options.scale_format = parse_scale_format(fmt::format("e{}m0", bits));
        for (int log2 = -126; log2 <= 127; log2++) {
          const float amax = std::ldexp(1.25f, log2);
          const QuantizedArray q = run({amax, amax / 4, 0.0f}, {3}, quantizer);
          const std::optional<int> expected = formula(log2, quantizer.format.emax, bits);
          const std::string where =
              fmt::format("{} {} e{}m0 2^{}", preset, quantizer.format.name, bits, log2);
          if (!expected) {
            ASSERT_EQ(q.scale_codes[0], (1 << bits) - 1) << where;
            for (const float value : q.dequantized) ASSERT_TRUE(std::isnan(value)) << where;
          } else {
            ASSERT_EQ(q.scales[0], std::ldexp(1.0f, *expected)) << where;
            ASSERT_EQ(q.scale_codes[0], *expected + (1 << (bits - 1)) - 1) << where;
          }
        }
      }
    }
  }
}

TEST(Quantize, NarrowScalesOfPeersWithoutAny) {
  // Quark's scales exceed E8M0, so a narrower scale format would be ignored.
  for (const char* preset : {"quark-onnx", "quark-onnx-dpu", "quark-torch-floor"}) {
    EXPECT_THROW(make_quantizer("mxfp8_e4m3", preset, {{"scale_format", std::string("e5m0")}}),
                 Error);
    EXPECT_NO_THROW(make_quantizer("mxfp8_e4m3", preset, {{"scale_format", std::string("e8m0")}}));
  }
  EXPECT_NO_THROW(
      make_quantizer("mxfp8_e4m3", "quark-torch-even", {{"scale_format", std::string("e5m0")}}));
}

TEST(Quantize, ScalesWithSignificandBits) {
  Quantizer quantizer = make_quantizer("mxfp4_e2m1");
  quantizer.options.scale_format = parse_scale_format("e4m3");
  const QuantizedArray q = run({6.6f, 1.1f, -0.0f}, {3}, quantizer);
  EXPECT_EQ(q.scales[0], 1.125f);  // 6.6 / 6 = 1.1 is nearest to 1.125
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
  // A block above the given amax of the tensor: the scale's cast overflows to NaN in the old
  // ModelOpt; ModelOpt now and torchao clamp it.
  for (const auto& [preset, nan] : {std::pair("nvfp4-modelopt_old", true),
                                    {"nvfp4-modelopt", false},
                                    {"nvfp4-torchao2", false}}) {
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
}  // namespace mxe::numerics
