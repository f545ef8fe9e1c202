// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/bfloat16.h"

#include <gtest/gtest.h>

namespace mxe::numerics {
namespace {

TEST(Bfloat16, WidensToTheUpperHalfAndBack) {
  for (uint32_t number = 0; number < 0x10000; number++) {
    const auto bfloat16 = static_cast<uint16_t>(number);
    const uint8_t bytes[] = {static_cast<uint8_t>(number & 0xFF),
                             static_cast<uint8_t>(number >> 8)};
    uint32_t bits = 0;
    float value = 0;
    widen_bfloat16(bytes, 1, &bits);
    widen_bfloat16(bytes, 1, &value);
    ASSERT_EQ(bits, number << 16);
    ASSERT_EQ(widened_bits(bfloat16), bits);
    ASSERT_EQ(to_bits(value), bits);
    ASSERT_EQ(bfloat16_bits(bits), is_nan_bits(bits) ? 0x7FC0 : bfloat16);
  }
}

TEST(Bfloat16, RoundsToNearestEven) {
  EXPECT_EQ(bfloat16_bits(0x3F807FFF), 0x3F80);  // just below the middle
  EXPECT_EQ(bfloat16_bits(0x3F808000), 0x3F80);  // ties go to the even number
  EXPECT_EQ(bfloat16_bits(0x3F818000), 0x3F82);
  EXPECT_EQ(bfloat16_bits(0x3F808001), 0x3F81);
  EXPECT_EQ(bfloat16_bits(0xFF7FFFFF), 0xFF80);  // beyond the largest: Inf
  EXPECT_EQ(bfloat16_bits(0xFF800001), 0x7FC0);  // a NaN of any payload and sign
  EXPECT_EQ(round_to_bfloat16(1.00390625f), 1.0f);
}

TEST(Bfloat16, RoundsSpans) {
  const std::vector<float> values = {1.0f, -1.01171875f, 3.4e38f};
  const std::vector<uint16_t> expected = {0x3F80, 0xBF82, 0x7F80};
  EXPECT_EQ(to_bfloat16(values), expected);
  EXPECT_EQ(to_bfloat16(values.data(), 1), std::vector<uint16_t>{0x3F80});
  EXPECT_EQ(to_bfloat16({}), std::vector<uint16_t>{});
}

}  // namespace
}  // namespace mxe::numerics
