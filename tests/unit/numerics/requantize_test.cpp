// SPDX-License-Identifier: Apache-2.0
// The requantiser against the quantizer; its saturations against their definition in double.
#include "model/numerics/quantize/requantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/numerics/formats/encode.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {
namespace {

// Blocks over all of float32; many elements are near ties close to the largest one.
std::vector<float> inputs(std::mt19937& random, std::size_t blocks) {
  std::vector<float> x;
  for (std::size_t block = 0; block < blocks; block++) {
    const int exponent = static_cast<int>(random() % 277) - 149;
    for (std::size_t i = 0; i < kBlockSize; i++) {
      const uint32_t draw = static_cast<uint32_t>(random());
      // 2^exponent times 0 to 1; for 3 of 4 values 0.75 to 1, for 3 of 4 a multiple of 1/512.
      const double part = (draw & 3) == 0 ? 0 : 0.75;
      double value = part + static_cast<double>((draw >> 8) & 0xFFF) / 0x1000 * (1 - part);
      if ((draw & 12) != 0) value = std::round(value * 512) / 512;
      value = std::ldexp(value, exponent);
      x.push_back(static_cast<float>((draw & 16) != 0 ? -value : value));
    }
    if (block % 50 == 7) x.back() = (random() & 1) != 0 ? INFINITY : NAN;
  }
  return x;
}

// |x| / scale to nearest even with the format's steps, which continue beyond its largest number.
double rounded(float x, uint8_t scale, const ElementFormat& format) {
  const double scaled = std::ldexp(std::fabs(static_cast<double>(x)), kScaleBias - scale);
  int step = format.lsb_exponent;
  if (format.kind == FormatKind::floating && scaled != 0) {
    step = std::max(step, std::ilogb(scaled) - format.mantissa_bits);
  }
  return std::ldexp(std::nearbyint(std::ldexp(scaled, -step)), step);
}

TEST(Requantize, AsTheDefinition) {
  constexpr uint32_t kSeed = 20250;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const std::vector<float> x = inputs(random, 1000);
  for (const FormatId id : kAllFormats) {
    const ElementFormat& format = element_format(id);
    for (const ScaleRule rule : kAllScaleRules) {
      SCOPED_TRACE(::testing::Message() << format.name << " rule " << static_cast<int>(rule));
      QuantizerOptions quantizer;
      quantizer.scale_rule = rule;
      const MxTensor plain = quantize_rows(x.data(), 1, x.size(), id, quantizer);
      uint64_t saturations = 5;  // the function adds to it
      const MxTensor saturated = to_mx(x, 1, x.size(), id, rule, Overflow::saturate, &saturations);
      EXPECT_EQ(saturated.codes, plain.codes);
      EXPECT_EQ(saturated.scales, plain.scales);
      uint64_t specials = 0;
      const MxTensor special = to_mx(x, 1, x.size(), id, rule, Overflow::special, &specials);
      EXPECT_EQ(special.scales, plain.scales);

      uint64_t expected = 0;
      for (std::size_t i = 0; i < x.size(); i++) {
        const uint8_t scale = plain.scales[i / kBlockSize];
        const bool overflowed = scale != kNanScale && rounded(x[i], scale, format) > format.max;
        expected += overflowed ? 1 : 0;
        uint32_t code = plain.codes[i];
        const uint32_t sign = std::signbit(x[i]) ? 0x80 : 0;
        if (overflowed && id == FormatId::mxfp8_e4m3) code = 0x7F | sign;
        if (overflowed && id == FormatId::mxfp8_e5m2) code = 0x7C | sign;
        ASSERT_EQ(special.codes[i], code) << "element " << i << " = " << x[i];
      }
      EXPECT_EQ(saturations, expected + 5);
      EXPECT_EQ(specials, expected);
      if (rule == ScaleRule::rceil) {
        EXPECT_EQ(expected, 0u);
      }
      if (rule == ScaleRule::floor) {
        EXPECT_GT(expected, 100u);
      }
    }
  }
}

TEST(Requantize, TiesAtTheTop) {
  struct Case {
    FormatId format;
    float below;       // rounds to the largest finite value with scale 1
    float overflowed;  // the next float, which rounds to more
    uint8_t largest;
    uint8_t special;
  };
  const Case cases[] = {
      {FormatId::mxfp4_e2m1, std::nextafter(7.0f, 0.0f), 7.0f, 0x7, 0x7},
      {FormatId::mxfp4_e1m2, std::nextafter(1.875f, 0.0f), 1.875f, 0x7, 0x7},
      {FormatId::mxfp6_e2m3, std::nextafter(7.75f, 0.0f), 7.75f, 0x1F, 0x1F},
      {FormatId::mxfp6_e3m2, std::nextafter(30.0f, 0.0f), 30.0f, 0x1F, 0x1F},
      {FormatId::mxfp8_e4m3, 464.0f, std::nextafter(464.0f, 500.0f), 0x7E, 0x7F},
      {FormatId::mxfp8_e5m2, std::nextafter(61440.0f, 0.0f), 61440.0f, 0x7B, 0x7C},
      {FormatId::mxint8, std::nextafter(1.9921875f, 0.0f), 1.9921875f, 127, 127},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(element_format(c.format).name);
    const float x[] = {c.below, c.overflowed, -0.0f};
    uint8_t codes[3];
    uint8_t scale;
    EXPECT_EQ(requantize_block(x, 3, {c.format, ScaleRule::floor, Overflow::special}, codes, scale),
              1u);
    EXPECT_EQ(scale, kScaleBias);
    EXPECT_EQ(codes[0], c.largest);
    EXPECT_EQ(codes[1], c.special);
    EXPECT_EQ(codes[2], with_sign(element_format(c.format), 0, true));
  }
}

TEST(Requantize, Blocks) {
  // Three blocks, the last one short; then one with an infinity, and one of zeros.
  std::vector<float> x(2 * kBlockSize + 3, 1.0f);
  const RequantOptions options = {FormatId::mxfp4_e2m1, ScaleRule::floor, Overflow::saturate};
  x[1] = 1.75f;
  x[2 * kBlockSize] = -7.0f;
  std::vector<uint8_t> codes(x.size());
  uint8_t scales[3];
  EXPECT_EQ(requantize_row(x.data(), x.size(), options, codes.data(), scales), 2u);
  EXPECT_EQ(scales[0], kScaleBias - 2);
  EXPECT_EQ(scales[2], kScaleBias);
  EXPECT_EQ(codes[1], 7);
  EXPECT_EQ(codes[2 * kBlockSize], 0xF);

  const float poisoned[] = {7.0f, -INFINITY};
  EXPECT_EQ(requantize_block(poisoned, 2, options, codes.data(), scales[0]), 0u);
  EXPECT_EQ(scales[0], kNanScale);
  EXPECT_EQ(codes[0] | codes[1], 0);
  const float zeros[] = {0.0f, -0.0f};
  EXPECT_EQ(requantize_block(zeros, 2, options, codes.data(), scales[0]), 0u);
  EXPECT_EQ(scales[0], 0);
  EXPECT_EQ(codes[0], 0);
  EXPECT_EQ(codes[1], 8);
}

TEST(Requantize, OverflowNames) {
  EXPECT_EQ(parse_overflow("saturate"), Overflow::saturate);
  EXPECT_EQ(parse_overflow("special"), Overflow::special);
  EXPECT_THROW(parse_overflow("wrap"), Error);
}

}  // namespace
}  // namespace mxe::numerics
