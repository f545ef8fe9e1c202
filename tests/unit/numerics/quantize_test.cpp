// SPDX-License-Identifier: Apache-2.0
// The quantizer's defaults (preset ocp), its scale rules, and the operand layouts.
#include "model/numerics/quantize/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/numerics/base/bits.h"

namespace mxe::numerics {
namespace {

MxTensor quantize_row(const std::vector<float>& x, FormatId format,
                      ScaleRule rule = ScaleRule::floor) {
  QuantizerOptions options;
  options.scale_rule = rule;
  return quantize_rows(x.data(), 1, x.size(), format, options);
}

int scale_of(float amax, FormatId format, ScaleRule rule) {
  return quantize_row({amax}, format, rule).scales[0];
}

TEST(Quantize, ScaleRulesAtTheirBoundaries) {
  const FormatId e2m1 = FormatId::mxfp4_e2m1;  // emax 2, max 6
  const float below = std::nextafter(4.0f, 0.0f);
  const float above = std::nextafter(4.0f, 8.0f);
  EXPECT_EQ(scale_of(below, e2m1, ScaleRule::floor), 126);
  EXPECT_EQ(scale_of(4.0f, e2m1, ScaleRule::floor), 127);
  EXPECT_EQ(scale_of(above, e2m1, ScaleRule::floor), 127);
  EXPECT_EQ(scale_of(below, e2m1, ScaleRule::ceil), 127);
  EXPECT_EQ(scale_of(4.0f, e2m1, ScaleRule::ceil), 127);
  EXPECT_EQ(scale_of(above, e2m1, ScaleRule::ceil), 128);
  // even: one mantissa bit, so amax >= 1.75 * 2^k counts as 2^(k+1).
  EXPECT_EQ(scale_of(std::nextafter(7.0f, 0.0f), e2m1, ScaleRule::even), 127);
  EXPECT_EQ(scale_of(7.0f, e2m1, ScaleRule::even), 128);
  // rceil: amax / 6.
  EXPECT_EQ(scale_of(6.0f, e2m1, ScaleRule::rceil), 127);
  EXPECT_EQ(scale_of(std::nextafter(6.0f, 8.0f), e2m1, ScaleRule::rceil), 128);
  EXPECT_EQ(scale_of(127.0f / 64, FormatId::mxint8, ScaleRule::rceil), 127);
  EXPECT_EQ(scale_of(1.9921875f, FormatId::mxint8, ScaleRule::rceil), 128);
  EXPECT_EQ(quantize_row({448.0f}, FormatId::mxfp8_e4m3, ScaleRule::rceil).codes[0], 0x7E);
  EXPECT_EQ(quantize_row({449.0f}, FormatId::mxfp8_e4m3, ScaleRule::rceil).scales[0], 128);
}

TEST(Quantize, ScaleClamps) {
  for (const FormatId format : kAllFormats) {
    SCOPED_TRACE(element_format(format).name);
    EXPECT_EQ(quantize_row({0x1p-149f}, format).scales[0], 0);
    EXPECT_EQ(quantize_row({0.0f, -0.0f}, format).scales[0], 0);
    EXPECT_EQ(quantize_row({3.4e38f}, format).scales[0], 254 - element_format(format).emax);
  }
  // 2^-127 is a float32 subnormal and is kept.
  const MxTensor tiny = quantize_row({0x1p-126f, 0x1p-127f}, FormatId::mxfp8_e4m3);
  EXPECT_EQ(tiny.scales[0], 0);
  EXPECT_EQ(dequantize(tiny), (std::vector<float>{0x1p-126f, 0x1p-127f}));
}

TEST(Quantize, SpecialsPoisonTheirBlockOnly) {
  for (const float special : {NAN, INFINITY, -INFINITY}) {
    std::vector<float> x(70, 1.0f);
    x[40] = special;
    const MxTensor t = quantize_row(x, FormatId::mxfp8_e5m2);
    EXPECT_EQ(t.scales, (std::vector<uint8_t>{112, 255, 112}));
    for (std::size_t i = 0; i < 70; i++) EXPECT_EQ(t.codes[i], i >= 32 && i < 64 ? 0 : 0x78) << i;
    EXPECT_TRUE(std::isnan(dequantize(t)[32]));
  }
}

TEST(Quantize, SignOfZeroAndSaturation) {
  const MxTensor t = quantize_row({7.9f, -7.9f, -0.0f, -0.1f, 0.1f}, FormatId::mxfp4_e2m1);
  EXPECT_EQ(t.codes, (std::vector<uint8_t>{7, 15, 8, 8, 0}));
  const MxTensor i = quantize_row({1.999f, -1.999f, -0.001f, -1.0f}, FormatId::mxint8);
  EXPECT_EQ(i.codes, (std::vector<uint8_t>{0x7F, 0x81, 0, 0xC0}));
}

TEST(Quantize, RowsAndRaggedBlocksAreIndependent) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> x(3 * 45);
  for (float& value : x) value = normal(random);
  const MxTensor whole = quantize_rows(x.data(), 3, 45, FormatId::mxfp6_e3m2);
  ASSERT_EQ(whole.scale_columns(), 2u);
  for (std::size_t row = 0; row < 3; row++) {
    const MxTensor tail = quantize_rows(x.data() + row * 45 + 32, 1, 13, FormatId::mxfp6_e3m2);
    EXPECT_EQ(tail.scales[0], whole.scales[row * 2 + 1]);
    for (std::size_t i = 0; i < 13; i++) EXPECT_EQ(tail.codes[i], whole.codes[row * 45 + 32 + i]);
  }
}

TEST(Quantize, DequantizedValuesQuantizeToThemselves) {
  constexpr uint32_t kSeed = 99;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  std::normal_distribution<float> normal;
  std::vector<float> x(64 * 32);
  for (float& value : x) value = normal(random);
  for (const FormatId format : kAllFormats) {
    SCOPED_TRACE(element_format(format).name);
    const std::vector<float> once = dequantize(quantize_rows(x.data(), 64, 32, format));
    EXPECT_EQ(dequantize(quantize_rows(once.data(), 64, 32, format)), once);
  }
}

// A single block: no earlier one has prepared the vector kernels.
TEST(Quantize, EveryNanPoisonsItsBlock) {
  for (const uint32_t nan : {0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu, 0xFFFFFFFFu, 0xFFC00000u}) {
    for (const FormatId format : kAllFormats) {
      std::vector<float> x(kBlockSize, -1.0f);
      x[7] = from_bits(nan);
      const MxTensor t = quantize_rows(x.data(), 1, kBlockSize, format);
      EXPECT_EQ(t.scales[0], kNanScale);
      EXPECT_EQ(t.codes, std::vector<uint8_t>(kBlockSize)) << std::hex << nan;
    }
  }
}

TEST(Layout, KnownBytes) {
  MxTensor t;
  t.rows = 2;
  t.k = 3;
  t.scales = {127, 127};
  t.format = FormatId::mxfp4_e2m1;
  t.codes = {1, 2, 3, 15, 14, 13};
  EXPECT_EQ(pack_rows(t), (std::vector<uint8_t>{0x21, 0x03, 0xEF, 0x0D}));
  t.format = FormatId::mxfp6_e2m3;
  t.codes = {0x3F, 0, 0x21, 1, 2, 3};
  EXPECT_EQ(pack_rows(t), (std::vector<uint8_t>{0x3F, 0x10, 0x02, 0x81, 0x30, 0x00}));
  t.format = FormatId::mxint8;
  EXPECT_EQ(pack_rows(t), t.codes);
}

TEST(Layout, PackUnpackRoundTrip) {
  std::mt19937 random(5);
  for (const FormatId format : kAllFormats) {
    for (std::size_t k = 1; k <= 70; k++) {
      MxTensor t;
      t.format = format;
      t.rows = 3;
      t.k = k;
      t.scales.resize(3 * t.scale_columns());
      for (std::size_t i = 0; i < 3 * k; i++) {
        t.codes.push_back(static_cast<uint8_t>(random() & element_format(format).code_mask()));
      }
      const std::vector<uint8_t> packed = pack_rows(t);
      const std::size_t stride = packed_row_bytes(format, k);
      ASSERT_EQ(packed.size(), 3 * stride);
      ASSERT_EQ(unpack_rows(format, packed.data(), 3, k, stride), t.codes);
    }
  }
}

TEST(Layout, ChecksSizes) {
  MxTensor t;
  t.rows = 1;
  t.k = 33;
  t.codes.resize(33);
  t.scales.resize(1);
  EXPECT_THROW(check(t), Error);
  t.scales.resize(2);
  EXPECT_NO_THROW(check(t));
}

}  // namespace
}  // namespace mxe::numerics
