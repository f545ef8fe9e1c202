// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "model/numerics/base/bits.h"
#include "model/numerics/formats/encode.h"
#include "model/numerics/gemm/accumulate.h"

namespace mxe::numerics {
namespace {

struct Facts {
  const char* name;
  int bits, emax, lsb;
  double max, min_normal, min_subnormal;
  bool inf, nan;
};

TEST(Format, TableFacts) {
  const Facts facts[] = {{"mxfp4_e2m1", 4, 2, -1, 6, 1, 0.5, false, false},
                         {"mxfp4_e1m2", 4, 0, -2, 1.75, 1, 0.25, false, false},
                         {"mxfp6_e2m3", 6, 2, -3, 7.5, 1, 0.125, false, false},
                         {"mxfp6_e3m2", 6, 4, -4, 28, 0.25, 0.0625, false, false},
                         {"mxfp8_e4m3", 8, 8, -9, 448, 0x1p-6, 0x1p-9, false, true},
                         {"mxfp8_e5m2", 8, 15, -16, 57344, 0x1p-14, 0x1p-16, true, true},
                         {"mxint8", 8, 0, -6, 127.0 / 64, 0x1p-6, 0x1p-6, false, false}};
  std::size_t code = 0;
  for (const Facts& f : facts) {
    SCOPED_TRACE(f.name);
    const FormatId id = parse_format(f.name);
    EXPECT_EQ(static_cast<std::size_t>(id), code++);
    const ElementFormat& format = element_format(id);
    EXPECT_EQ(format.name, f.name);
    EXPECT_EQ(format.bits, f.bits);
    EXPECT_EQ(format.emax, f.emax);
    EXPECT_EQ(format.lsb_exponent, f.lsb);
    EXPECT_EQ(format.max, f.max);
    EXPECT_EQ(format.min_normal, f.min_normal);
    EXPECT_EQ(format.min_subnormal, f.min_subnormal);
    EXPECT_EQ(format.has_inf, f.inf);
    EXPECT_EQ(format.has_nan, f.nan);
  }
  EXPECT_EQ(code, kAllFormats.size());
}

TEST(Format, KnownCodes) {
  const float e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const float e1m2[] = {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75};
  for (uint8_t code = 0; code < 8; code++) {
    EXPECT_EQ(decode(FormatId::mxfp4_e2m1, code), e2m1[code]);
    EXPECT_EQ(decode(FormatId::mxfp4_e1m2, code), e1m2[code]);
    EXPECT_EQ(to_bits(decode(FormatId::mxfp4_e2m1, code | 8)), to_bits(-e2m1[code]));
  }
  EXPECT_EQ(decode(FormatId::mxfp6_e2m3, 0x1F), 7.5f);
  EXPECT_EQ(decode(FormatId::mxfp6_e3m2, 0x3F), -28.0f);
  EXPECT_EQ(decode(FormatId::mxfp8_e4m3, 0x7E), 448.0f);
  EXPECT_TRUE(std::isnan(decode(FormatId::mxfp8_e4m3, 0x7F)));
  EXPECT_TRUE(std::isnan(decode(FormatId::mxfp8_e4m3, 0xFF)));
  EXPECT_EQ(decode(FormatId::mxfp8_e5m2, 0x7B), 57344.0f);
  EXPECT_EQ(decode(FormatId::mxfp8_e5m2, 0xFC), -INFINITY);
  EXPECT_TRUE(std::isnan(decode(FormatId::mxfp8_e5m2, 0x7D)));
  EXPECT_EQ(decode(FormatId::mxint8, 0x80), -2.0f);
  EXPECT_EQ(decode(FormatId::mxint8, 0x40), 1.0f);
  EXPECT_EQ(decode(FormatId::mxint8, 0xFF), -1.0f / 64);
}

TEST(Format, Scales) {
  EXPECT_EQ(decode_scale(0), 0x1p-127f);
  EXPECT_EQ(decode_scale(1), 0x1p-126f);
  EXPECT_EQ(decode_scale(127), 1.0f);
  EXPECT_EQ(decode_scale(128), 2.0f);
  EXPECT_EQ(decode_scale(254), 0x1p127f);
  EXPECT_TRUE(std::isnan(decode_scale(255)));
}

TEST(Format, EveryCodeRoundTrips) {
  for (const FormatId id : kAllFormats) {
    const ElementFormat& format = element_format(id);
    SCOPED_TRACE(format.name);
    for (uint32_t code = 0; code <= format.code_mask(); code++) {
      const float value = decode(id, static_cast<uint8_t>(code));
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(format.decode(encode(format, value))));
      } else if (id == FormatId::mxint8 && code == 0x80) {
        EXPECT_EQ(encode(format, value), 0x81u);  // -128 is not used: clamped to -127
      } else {
        EXPECT_EQ(encode(format, value), code);
      }
    }
  }
}

// The nearest code by exhaustive search in double precision.
uint32_t nearest_code(const ElementFormat& format, double magnitude) {
  uint32_t best = 0;
  for (uint32_t code = 1; code <= format.max_code; code++) {
    const double closer = std::fabs(format.decode(code) - magnitude);
    const double current = std::fabs(format.decode(best) - magnitude);
    if (closer < current || (closer == current && code % 2 == 0)) best = code;
  }
  return best;
}

TEST(Format, EncodeFindsTheNearestCode) {
  for (const FormatId id : kAllFormats) {
    const ElementFormat& format = element_format(id);
    SCOPED_TRACE(format.name);
    for (uint32_t code = 0; code <= format.max_code; code++) {
      const double low = format.decode(code);
      const double high = code < format.max_code ? format.decode(code + 1) : low * 1.5;
      for (int eighth = 0; eighth < 8; eighth++) {
        const double value = low + (high - low) * eighth / 8;
        EXPECT_EQ(encode(format, static_cast<float>(value)), nearest_code(format, value)) << value;
      }
    }
    EXPECT_EQ(encode(format, 3e38f), format.max_code);
  }
}

TEST(Format, RoundingRules) {
  const ElementFormat& e2m1 = element_format(FormatId::mxfp4_e2m1);
  // 2.5 lies between codes 4 (2) and 5 (3), 3.5 between 5 and 6 (4), 0.25 between 0 and 1 (0.5).
  EXPECT_EQ(encode(e2m1, 2.5f, Rounding::nearest_even), 4u);
  EXPECT_EQ(encode(e2m1, 3.5f, Rounding::nearest_even), 6u);
  EXPECT_EQ(encode(e2m1, 2.5f, Rounding::nearest_away), 5u);
  EXPECT_EQ(encode(e2m1, 3.5f, Rounding::nearest_zero), 5u);
  EXPECT_EQ(encode(e2m1, 3.75f, Rounding::toward_zero), 5u);
  EXPECT_EQ(encode(e2m1, -0.25f, Rounding::nearest_even), 8u);
  EXPECT_EQ(encode(e2m1, 0.25f, Rounding::nearest_away), 1u);
  EXPECT_EQ(encode(e2m1, from_bits(0x3E7FFFFFu), Rounding::nearest_even), 0u);
  EXPECT_EQ(encode(e2m1, 0x1p-149f), 0u);
  EXPECT_EQ(parse_rounding("down"), Rounding::nearest_zero);
  EXPECT_THROW(parse_rounding("up?"), Error);
}

TEST(Format, UnknownNamesListTheAllowedOnes) {
  try {
    parse_format("fp8");
    FAIL() << "must throw";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'fp8'"), std::string::npos);
    for (const FormatId id : kAllFormats) {
      EXPECT_NE(text.find(element_format(id).name), std::string::npos);
    }
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(Format, NanNeedsANanCode) {
  EXPECT_THROW(encode(element_format(FormatId::mxfp4_e2m1), NAN), Error);
  EXPECT_EQ(encode(element_format(FormatId::mxfp8_e5m2), -INFINITY), 0xFCu);
  EXPECT_EQ(encode(element_format(FormatId::mxfp8_e4m3), INFINITY), 0x7Eu);
}

TEST(Format, TreeWidths) {
  // By the codes of both formats.
  const unsigned expected[7][7] = {{14, 13, 16, 19, 28, 42, 17}, {13, 12, 15, 18, 27, 41, 16},
                                   {16, 15, 18, 21, 30, 44, 19}, {19, 18, 21, 24, 33, 47, 22},
                                   {28, 27, 30, 33, 42, 56, 31}, {42, 41, 44, 47, 56, 70, 45},
                                   {17, 16, 19, 22, 31, 45, 21}};
  for (std::size_t a = 0; a < 7; a++) {
    for (std::size_t b = 0; b < 7; b++) {
      EXPECT_EQ(pair_tree_width(kAllFormats[a], kAllFormats[b]), expected[a][b]) << a << " " << b;
    }
  }
}

}  // namespace
}  // namespace mxe::numerics
