// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/base/simd.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/numerics/block/presets.h"
#include "tests/unit/numerics/gemm_cases.h"

namespace mxe::numerics {
namespace {

constexpr SimdLevel kLevels[] = {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512};

class SimdLevels : public ::testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (!runs_simd_level(GetParam())) GTEST_SKIP() << "not on this processor";
  }
};

// Ordinary values, ties, all exponents, and blocks with NaN, Inf, zeros.
std::vector<float> inputs(uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x;
  for (std::size_t block = 0; block < 3000; block++) {
    const float scale = std::ldexp(1.0f, static_cast<int>(random() % 275) - 148);
    for (std::size_t i = 0; i < kBlockSize; i++) {
      const uint32_t bits = static_cast<uint32_t>(random());
      float value = normal(random);
      if (block % 4 == 1) value = normal(random) * scale;
      if (block % 4 == 2) value = static_cast<float>(static_cast<int>(bits % 257) - 128) * scale;
      if (block % 16 == 3) value = from_bits(bits);
      if (block % 32 == 7) value = from_bits(bits & 0x80FFFFFF);
      if (block % 64 == 11) value = (bits & 1) != 0 ? -0.0f : 0.0f;
      x.push_back(value);
    }
  }
  return x;
}

TEST_P(SimdLevels, QuantizeAsTheGeneralPath) {
  constexpr uint32_t kSeed = 4711;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  const std::vector<float> x = inputs(kSeed);
  for (const FormatId format : kAllFormats) {
    for (const ScaleRule rule : kAllScaleRules) {
      SCOPED_TRACE(element_format(format).name);
      QuantizerOptions options;
      options.scale_rule = rule;
      const MxTensor fast = quantize_rows(x.data(), 1, x.size(), format, options, 1, GetParam());
      QuantizeRequest request;
      request.dequantize = false;
      request.block_by_block = true;
      const QuantizedArray general =
          quantize(x.data(), {1, x.size()}, element_format(format), options, request);
      ASSERT_EQ(fast.scales, general.scale_codes);
      ASSERT_EQ(fast.codes, general.codes);
    }
  }
}

TEST_P(SimdLevels, DequantizeAsTheTables) {
  for (const FormatId format : kAllFormats) {
    SCOPED_TRACE(element_format(format).name);
    MxTensor t;
    t.format = format;
    t.rows = 256;
    t.k = 256;
    for (std::size_t scale = 0; scale < 256; scale++) {
      t.scales.insert(t.scales.end(), 8, static_cast<uint8_t>(scale));
      for (std::size_t code = 0; code < 256; code++) t.codes.push_back(static_cast<uint8_t>(code));
    }
    const std::vector<float> values = dequantize(t, 1, GetParam());
    for (std::size_t i = 0; i < values.size(); i++) {
      const float product =
          decode(format, t.codes[i]) * decode_scale(static_cast<uint8_t>(i / 256));
      const uint32_t expected = std::isnan(product) ? kQuietNan : to_bits(product);
      ASSERT_EQ(to_bits(values[i]), expected) << i;
    }
  }
}

TEST_P(SimdLevels, RaggedRowsAndThreads) {
  const std::vector<float> x = inputs(3);
  for (const std::size_t k : {std::size_t{1}, std::size_t{31}, std::size_t{33}, std::size_t{100}}) {
    const std::size_t rows = 50;
    const MxTensor one =
        quantize_rows(x.data(), rows, k, FormatId::mxfp8_e4m3, {}, 1, SimdLevel::portable);
    const MxTensor many = quantize_rows(x.data(), rows, k, FormatId::mxfp8_e4m3, {}, 3, GetParam());
    EXPECT_EQ(one.codes, many.codes);
    EXPECT_EQ(one.scales, many.scales);
    const std::vector<float> a = dequantize(one, 1, SimdLevel::portable);
    const std::vector<float> b = dequantize(one, 3, GetParam());
    for (std::size_t i = 0; i < a.size(); i++) ASSERT_EQ(to_bits(a[i]), to_bits(b[i]));
  }
}

TEST_P(SimdLevels, GemmAsSingleSteps) {
  for (const uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    EXPECT_EQ(
        gemm_mismatches(seed,
                        [](const MxTensor& a, const MxTensor& b, const float* bias, bool dual) {
                          GemmOptions options;
                          options.dual = dual;
                          options.simd = GetParam();
                          return gemm(a, b, bias, options);
                        }),
        0u);
  }
}

TEST_P(SimdLevels, Nvfp4AsTheDefinition) {
  EXPECT_EQ(
      nvfp4_mismatches(1,
                       [](const MxTensor& a, const MxTensor& b, const float* start, bool dual) {
                         GemmOptions options;
                         options.dual = dual;
                         options.simd = GetParam();
                         return gemm(a, b, start, options);
                       }),
      0u);
}

// A packed B with steps of 64 is packed again for steps of 32.
TEST_P(SimdLevels, Nvfp4ByAPreparedB) {
  std::mt19937 random(1);
  MxTensor b{FormatId::mxfp4_e2m1, 20, 200, {}, {}, kNvfp4Scales, {}};
  for (std::size_t i = 0; i < 20 * 200; i++) b.codes.push_back(static_cast<uint8_t>(random() % 16));
  for (std::size_t i = 0; i < 20 * 13; i++)
    b.scales.push_back(static_cast<uint8_t>(random() % 0x7F));
  const PreparedOperand prepared(b);
  for (const bool dual : {true, false, true}) {
    GemmOptions options;
    options.dual = dual;
    options.simd = GetParam();
    std::vector<float> expected(20 * 20);
    gemm_definition_into(b, b, nullptr, dual, 0, 20, expected.data());
    EXPECT_EQ(gemm(b, prepared, nullptr, options), expected);
  }
}

// A packed B serves only products that would pack it the same way.
TEST_P(SimdLevels, GemmByAPreparedB) {
  std::mt19937 random(5);
  GemmOptions options;
  options.simd = GetParam();
  for (const FormatId format_b : kAllFormats) {
    const MxTensor b = make_operand(format_b, 40, 70, OperandKind::normal, random);
    const PreparedOperand prepared(b);
    for (const FormatId format_a : kAllFormats) {
      const MxTensor a = make_operand(format_a, 5, 70, OperandKind::normal, random);
      const std::vector<float> expected = stepwise(a, b, nullptr, options.dual);
      for (int times = 0; times < 2; times++) {
        EXPECT_EQ(gemm(a, prepared, nullptr, options), expected)
            << element_format(format_a).name << " by " << element_format(format_b).name;
      }
    }
  }
}

// Sums too close to the midpoint of two float32 values for a float64: a product far below the
// accumulator's last bit decides. The columns fill a tile: the rest may take a slower path.
TEST_P(SimdLevels, GemmRoundsOnce) {
  constexpr std::size_t kColumns = 32;
  constexpr uint8_t kLarge = 0x78;  // 2^8 of E4M3, 2^15 of E5M2
  const auto same_rows = [](FormatId id, std::size_t rows, uint8_t large, uint8_t small,
                            int exponent) {
    MxTensor t;
    t.format = id;
    t.rows = rows;
    t.k = 2;
    for (std::size_t row = 0; row < rows; row++) {
      t.codes.insert(t.codes.end(), {large, small});
      t.scales.push_back(static_cast<uint8_t>(kScaleBias + exponent));
    }
    return t;
  };
  // The large product, scaled, is half a unit in the last place of 1, the small one far less.
  const auto check = [&](FormatId id, uint8_t small, uint8_t sign, uint8_t sum_sign) {
    const int exponent = id == FormatId::mxfp8_e4m3 ? -40 : -54;
    const MxTensor a = same_rows(id, 4, static_cast<uint8_t>(kLarge | sum_sign),
                                 static_cast<uint8_t>(small | sign), exponent);
    const MxTensor b = same_rows(id, kColumns, kLarge, small, 0);
    for (const float start : {1.0f, -1.0f, 1.0f + 0x1p-23f, -1.0f - 0x1p-23f}) {
      const std::vector<float> bias(4 * kColumns, start);
      GemmOptions options;
      options.simd = GetParam();
      EXPECT_EQ(gemm(a, b, bias.data(), options), stepwise(a, b, bias.data(), true));
    }
  };
  for (const FormatId id : {FormatId::mxfp8_e4m3, FormatId::mxfp8_e5m2}) {
    for (uint8_t small = 1; small < 64; small++) {
      check(id, small, 0x00, 0x00);
      check(id, small, 0x80, 0x00);
      check(id, small, 0x00, 0x80);
      check(id, small, 0x80, 0x80);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, SimdLevels, ::testing::ValuesIn(kLevels), [](const auto& level) {
  return std::string(simd_level_name(level.param));
});

// These operands expose a kernel that rounds only at the end, and one that ignores NaN scales.
TEST(SimdCases, NoticeFaults) {
  EXPECT_GT(gemm_mismatches(1,
                            [](const MxTensor& a, const MxTensor& b, const float* bias, bool) {
                              GemmOptions options;
                              options.accumulate = Accumulate::exact;
                              return gemm(a, b, bias, options);
                            }),
            1000u);
  EXPECT_GT(gemm_mismatches(1,
                            [](MxTensor a, const MxTensor& b, const float* bias, bool dual) {
                              for (uint8_t& scale : a.scales) {
                                if (scale == kNanScale) scale = 127;
                              }
                              return stepwise(a, b, bias, dual);
                            }),
            100u);
}

}  // namespace
}  // namespace mxe::numerics
