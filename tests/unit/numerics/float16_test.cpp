// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/float16.h"

#include <gtest/gtest.h>

#include "model/numerics/base/bits.h"

namespace mxe::numerics {
namespace {

constexpr uint16_t kInfinity16 = 0x7C00;

uint32_t widened(uint32_t number) {
  return to_bits(float16_to_float(static_cast<uint16_t>(number)));
}

TEST(Float16, WidensAndComesBack) {
  for (uint32_t number = 0; number < 0x10000; number++) {
    const uint32_t bits = widened(number);
    ASSERT_EQ(float16_bits(bits), is_nan_bits(bits) ? 0x7E00 : number);
  }
}

TEST(Float16, RoundsToNearestEvenBetweenAnyTwoNeighbours) {
  for (uint32_t number = 0; number < kInfinity16; number++) {
    // The bits of floats are ordered like their values. The number after the largest would be 2^16.
    const uint32_t above = number + 1 == kInfinity16 ? to_bits(65536.0f) : widened(number + 1);
    const float middle = (float16_to_float(static_cast<uint16_t>(number)) + from_bits(above)) / 2;
    const uint32_t bits = to_bits(middle);
    ASSERT_EQ(float16_bits(bits - 1), number);
    ASSERT_EQ(float16_bits(bits), number + (number & 1));
    ASSERT_EQ(float16_bits(bits + 1), number + 1);
    ASSERT_EQ(float16_bits(bits | 0x80000000), 0x8000 | (number + (number & 1)));
    ASSERT_EQ(float16_bits(above - 1), number + 1);
  }
}

TEST(Float16, KnowsTheEnds) {
  EXPECT_EQ(float16_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(float16_to_float(0x03FF), 1023 * 0x1p-24f);
  EXPECT_EQ(float16_to_float(0x0400), 0x1p-14f);
  EXPECT_EQ(float16_to_float(0x7BFF), 65504.0f);
  EXPECT_EQ(float16_to_float(0xC000), -2.0f);
  EXPECT_EQ(to_bits(float16_to_float(0x8000)), 0x80000000u);
  EXPECT_TRUE(is_nan_bits(to_bits(float16_to_float(0x7E00))));
  EXPECT_EQ(float16_bits(to_bits(65519.996f)), 0x7BFF);
  EXPECT_EQ(float16_bits(to_bits(65520.0f)), kInfinity16);
  EXPECT_EQ(float16_bits(0x7F7FFFFF), kInfinity16);
  EXPECT_EQ(float16_bits(0xFF800000), 0xFC00);
  EXPECT_EQ(float16_bits(0x00000001), 0);
  EXPECT_EQ(float16_bits(0xFF800001), 0x7E00);  // a NaN of any payload and sign
}

}  // namespace
}  // namespace mxe::numerics
