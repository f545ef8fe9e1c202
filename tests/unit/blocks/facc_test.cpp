// SPDX-License-Identifier: Apache-2.0
// The accumulator, the merge of two chains, and the rounding to two bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "model/blocks/merge.h"
#include "model/numerics/base/bits.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/formats/float16.h"
#include "model/numerics/gemm/accumulate.h"

namespace mxe::blocks {
namespace {

uint32_t pick_accumulator(std::mt19937_64& random, Int128 sum, int exponent) {
  auto bits = static_cast<uint32_t>(random());
  switch (random() % 4) {
    case 0:
      break;
    case 1:  // -sum, rounded, or its neighbour
      bits = numerics::accumulate(0, -sum, exponent) + static_cast<uint32_t>(random() % 3) - 1;
      break;
    default: {
      const int64_t field =
          std::clamp<int64_t>(exponent + static_cast<int64_t>(random() % 160) - 60 + 104, 0, 254);
      const uint32_t fractions[] = {0, 1, 0x7FFFFF, 0x7FFFFE, 0x400000, bits & 0x7FFFFF};
      bits = (bits & 0x80000000u) | static_cast<uint32_t>(field) << 23 | fractions[random() % 6];
    }
  }
  if ((bits >> 23 & 0xFF) == 0xFF) bits &= 0xFF7FFFFF;
  return bits;
}

template <unsigned Width>
uint32_t accumulated(uint32_t acc, Int128 sum, int exponent) {
  Facc<Width> facc;
  facc.evaluate(sum, exponent, false, false, false, acc);
  return facc.acc_o;
}

TEST(Facc, RoundsOnce) {
  const uint64_t seed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 500'000; i++) {
    const unsigned width = 1 + static_cast<unsigned>(random() % 69);
    const auto raw = static_cast<Int128>(random()) << 64 | static_cast<Int128>(random());
    Int128 sum = raw & ((Int128{1} << width) - 1);
    if (random() % 3 == 0) {
      sum = (Int128{1} << (width - 1)) + static_cast<int>(random() % 3) - 1;
    }
    if (random() % 2) sum = -sum;
    const int exponent = static_cast<int>(random() % 541) - 286;
    const uint32_t acc = pick_accumulator(random, sum, exponent);
    const auto narrow = [&sum](auto bits) {
      return sign_extend<decltype(bits)::value>(static_cast<Bits>(sum));
    };
    const auto sum56 = narrow(std::integral_constant<unsigned, 56>());
    const auto sum42 = narrow(std::integral_constant<unsigned, 42>());
    const auto sum14 = narrow(std::integral_constant<unsigned, 14>());
    ASSERT_EQ(accumulated<70>(acc, sum, exponent), numerics::accumulate(acc, sum, exponent))
        << std::hex << acc << " exponent " << std::dec << exponent;
    ASSERT_EQ(accumulated<56>(acc, sum56, exponent), numerics::accumulate(acc, sum56, exponent));
    ASSERT_EQ(accumulated<42>(acc, sum42, exponent), numerics::accumulate(acc, sum42, exponent));
    ASSERT_EQ(accumulated<14>(acc, sum14, exponent), numerics::accumulate(acc, sum14, exponent));
  }
}

TEST(Facc, KeepsWhatIsNoNumber) {
  const uint32_t inf = kInfinity, minus_inf = 0xFF800000, nan = kQuietNan;
  const auto of = [](uint32_t acc, bool is_nan, bool pinf, bool ninf) {
    Facc<70> facc;
    facc.evaluate(5, 0, is_nan, pinf, ninf, acc);
    return facc.acc_o;
  };
  EXPECT_EQ(of(0x7F800001, false, false, false), nan);
  EXPECT_EQ(of(0xFFC12345, false, true, false), nan);
  EXPECT_EQ(of(inf, false, false, false), inf);
  EXPECT_EQ(of(minus_inf, false, false, false), minus_inf);
  EXPECT_EQ(of(inf, false, true, false), inf);
  EXPECT_EQ(of(inf, false, false, true), nan);
  EXPECT_EQ(of(minus_inf, false, true, false), nan);
  EXPECT_EQ(of(0x3F800000, false, true, false), inf);
  EXPECT_EQ(of(0x3F800000, false, false, true), minus_inf);
  EXPECT_EQ(of(0x3F800000, false, true, true), nan);
  EXPECT_EQ(of(0x3F800000, true, false, false), nan);
}

TEST(Merge, AddsTheChains) {
  const uint64_t seed = 13;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  Merge merge;
  for (int i = 0; i < 500'000; i++) {
    const auto even = static_cast<uint32_t>(random());
    auto odd = static_cast<uint32_t>(random());
    if (i % 2) odd = (odd & 0x80FFFFFF) | (even & 0x7F000000);  // similar magnitudes
    if (i % 16 == 3) odd = even ^ 0x80000000;
    if (i % 16 == 5) odd &= 0x807FFFFF;
    ASSERT_EQ(merge.evaluate(even, odd), numerics::merge_chains(even, odd))
        << std::hex << even << " + " << odd;
  }
}

TEST(TwoBytes, RoundToNearestEven) {
  std::mt19937 random(17);
  for (int i = 0; i < 2'000'000; i++) {
    auto bits = static_cast<uint32_t>(random());
    if (i % 3 == 0) bits = (bits & 0x8FFFFFFF) | 0x30000000;  // magnitudes from 2^-31 to 2
    if (i % 5 == 0) bits &= 0xFFFF0000 | (1u << random() % 16);
    if (is_nan_bits(bits)) bits = kQuietNan;  // the RTL has one NaN
    ASSERT_EQ(to_bf16(bits), numerics::bfloat16_bits(bits)) << std::hex << bits;
    ASSERT_EQ(to_fp16(bits), numerics::float16_bits(bits)) << std::hex << bits;
  }
}

}  // namespace
}  // namespace mxe::blocks
