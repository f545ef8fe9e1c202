// SPDX-License-Identifier: Apache-2.0
// The fused accumulation step against quadruple precision, and its special cases.
#include "model/numerics/gemm/accumulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mxe::numerics {
namespace {

__extension__ typedef __float128 Quad;

Quad scale_quad(Quad value, int exponent) {
  for (; exponent > 0; exponent--) value *= 2;
  for (; exponent < 0; exponent++) value /= 2;
  return value;
}

Int128 random_sum(std::mt19937_64& random, int bits) {
  const UInt128 raw = static_cast<UInt128>(random()) << 64 | random();
  const Int128 magnitude = static_cast<Int128>(raw >> (128 - bits));
  return (random() & 1) != 0 ? -magnitude : magnitude;
}

// Quadruple precision holds acc + sum * 2^exponent exactly if its bits span at most 113; then the
// conversion to float32 is the only rounding.
TEST(Accumulate, AgreesWithQuadruplePrecision) {
  constexpr uint64_t kSeed = 20240601;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 200000; i++) {
    const int bits = 1 + static_cast<int>(random() % 70);
    const Int128 sum = random_sum(random, bits);
    const int acc_exponent = static_cast<int>(random() % 254) - 149;
    const int distance = static_cast<int>(random() % 80) - 40;
    const int exponent = acc_exponent - distance;
    const float acc = std::ldexp(
        static_cast<float>(static_cast<int>(random() % (1u << 25)) - (1 << 24)), acc_exponent);
    if (!std::isfinite(acc)) continue;
    const Quad exact = static_cast<Quad>(acc) + scale_quad(static_cast<Quad>(sum), exponent);
    float expected = static_cast<float>(exact);
    if (expected == 0 && exact == 0) expected = 0;  // exact zeros are positive
    ASSERT_EQ(accumulate(to_bits(acc), sum, exponent), to_bits(expected))
        << "acc " << acc << " exponent " << exponent << " bits " << bits << " case " << i;
  }
}

// A far smaller operand only breaks ties.
TEST(Accumulate, DistantOperandsBreakTies) {
  const Int128 half_ulp = 1;  // of 1.0f: 2^-24
  EXPECT_EQ(accumulate(to_bits(1.0f), half_ulp, -24), to_bits(1.0f));
  EXPECT_EQ(accumulate(to_bits(std::nextafter(1.0f, 2.0f)), half_ulp, -24), 0x3F800002u);
  // A tie plus a tiny number rounds up, minus a tiny number rounds down.
  const Int128 wide = (Int128{1} << 60) + 1;
  EXPECT_EQ(accumulate(to_bits(1.0f), wide, -84), 0x3F800001u);
  EXPECT_EQ(accumulate(to_bits(1.0f), wide - 2, -84), to_bits(1.0f));
  const Int128 tie = (Int128{1} << 24) + 1;
  EXPECT_EQ(accumulate(to_bits(0x1p-140f), tie, 0), to_bits(16777218.0f));
  EXPECT_EQ(accumulate(to_bits(-0x1p-140f), tie, 0), to_bits(16777216.0f));
  EXPECT_EQ(accumulate(0x00000001, tie, 0), to_bits(16777218.0f));
  EXPECT_EQ(accumulate(to_bits(1.0f), 1, -500), to_bits(1.0f));
  EXPECT_EQ(accumulate(to_bits(1.0f), -1, -500), to_bits(1.0f));
  EXPECT_EQ(accumulate(1, 1, -300), 1u);
  EXPECT_EQ(accumulate(0, 1, -300), 0u);
  EXPECT_EQ(accumulate(0, -1, -300), 0x80000000u);  // not an exact zero: it keeps its sign
}

TEST(Accumulate, SubnormalsAndOverflow) {
  EXPECT_EQ(accumulate(0, 1, -149), 1u);
  EXPECT_EQ(accumulate(0, 1, -150), 0u);  // tie to even
  EXPECT_EQ(accumulate(0, 3, -150), 2u);  // tie to even
  EXPECT_EQ(accumulate(0x007FFFFF, 1, -149), 0x00800000u);
  EXPECT_EQ(accumulate(0, 0xFFFFFF, 104), 0x7F7FFFFFu);
  EXPECT_EQ(accumulate(0, 0x1FFFFFF, 103), kInfinity);  // a tie that rounds up to 2^128
  EXPECT_EQ(accumulate(0x7F7FFFFF, 1, 102), 0x7F7FFFFFu);
  EXPECT_EQ(accumulate(0x7F7FFFFF, 1, 103), kInfinity);
  EXPECT_EQ(accumulate(0, -1, 200), 0x80000000u | kInfinity);
}

TEST(Accumulate, ZerosArePositive) {
  EXPECT_EQ(accumulate(0x80000000u, 0, 0), 0u);
  EXPECT_EQ(accumulate(to_bits(1.5f), -3, -1), 0u);
  EXPECT_EQ(accumulate(to_bits(1.5f), 0, 900), to_bits(1.5f));
  EXPECT_EQ(merge_chains(0x80000000u, 0x80000000u), 0u);
}

TEST(Accumulate, HalvesOfTheSum) {
  const Int128 sum = -(Int128{1} << 68) - 5;
  const int64_t high = static_cast<int64_t>(sum >> 64);
  const uint64_t low = static_cast<uint64_t>(sum);
  EXPECT_EQ(accumulate(to_bits(3.0f), high, low, -60), accumulate(to_bits(3.0f), sum, -60));
}

TEST(Accumulate, Specials) {
  constexpr uint32_t kNegative = 0x80000000u | kInfinity;
  BlockDot dot;
  dot.special = BlockSpecial::positive_infinity;
  EXPECT_EQ(accumulate(0, dot), kInfinity);
  EXPECT_EQ(accumulate(kInfinity, dot), kInfinity);
  EXPECT_EQ(accumulate(kNegative, dot), kQuietNan);
  EXPECT_EQ(accumulate(0xFFC00001u, dot), kQuietNan);
  dot.special = BlockSpecial::negative_infinity;
  EXPECT_EQ(accumulate(to_bits(1e38f), dot), kNegative);
  dot.special = BlockSpecial::nan;
  EXPECT_EQ(accumulate(kInfinity, dot), kQuietNan);
  EXPECT_EQ(accumulate(kInfinity, Int128{-1}, 100), kInfinity);
  EXPECT_EQ(merge_chains(kInfinity, kNegative), kQuietNan);
  EXPECT_EQ(merge_chains(to_bits(1.0f), kNegative), kNegative);
  EXPECT_EQ(merge_chains(kNegative, to_bits(1.0f)), kNegative);
}

TEST(BlockDot, SpecialElements) {
  const uint8_t inf = 0x7C;
  const uint8_t one = 0x3C;
  const uint8_t minus = 0xBC;
  const FormatId e5m2 = FormatId::mxfp8_e5m2;
  auto special = [&](std::vector<uint8_t> a, std::vector<uint8_t> b, uint8_t scale = 127) {
    return block_dot(e5m2, a.data(), scale, e5m2, b.data(), 127, a.size()).special;
  };
  EXPECT_EQ(special({one, one}, {one, minus}), BlockSpecial::none);
  EXPECT_EQ(special({one, inf}, {one, one}), BlockSpecial::positive_infinity);
  EXPECT_EQ(special({one, inf}, {one, minus}), BlockSpecial::negative_infinity);
  EXPECT_EQ(special({one, inf}, {one, 0x80}), BlockSpecial::nan);
  EXPECT_EQ(special({inf, inf}, {one, minus}), BlockSpecial::nan);
  EXPECT_EQ(special({0x7D}, {0}), BlockSpecial::nan);
  EXPECT_EQ(special({one}, {one}, kNanScale), BlockSpecial::nan);
  const BlockDot dot = block_dot(e5m2, &minus, 1, e5m2, &one, 254, 1);
  EXPECT_TRUE(dot.sum == -(Int128{1} << 32));
  EXPECT_EQ(dot.exponent, 1 + 254 - 254 - 32);
}

}  // namespace
}  // namespace mxe::numerics
