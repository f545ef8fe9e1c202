// SPDX-License-Identifier: Apache-2.0
// The arithmetic of mxe_float.c against the host's float, double and long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "model/numerics/base/bits.h"
#include "mxe_float.h"

namespace mxe::test {
namespace {

constexpr uint32_t kOne = 0x3F800000;

// Long check: MXE_FLOAT_PAIRS=1000000000 MXE_MATH_SEED=...
uint64_t pairs_wanted() {
  const char* text = std::getenv("MXE_FLOAT_PAIRS");
  return text ? std::stoull(text) : 2000000;
}
uint32_t seed() {
  const char* text = std::getenv("MXE_MATH_SEED");
  return text ? static_cast<uint32_t>(std::stoul(text)) : 20262;
}

/// Bits of the host's result, with the single NaN of MXE.
uint32_t host_bits(float x) { return std::isnan(x) ? kQuietNan : to_bits(x); }

/// Pairs with arbitrary bits, similar exponents, subnormals, special values, few bits set.
class Pairs {
 public:
  explicit Pairs(uint32_t seed) : random_(seed) {}

  uint32_t first() {
    x_ = any();
    return x_;
  }
  uint32_t second() {
    const auto bits = static_cast<uint32_t>(random_());
    switch (random_() % 4) {
      case 0: {  // an exponent within 27 of the first one's
        const int field =
            static_cast<int>((x_ >> 23) & 0xFF) + static_cast<int>(random_() % 55) - 27;
        return (bits & 0x807FFFFF) | (static_cast<uint32_t>(std::clamp(field, 0, 254)) << 23);
      }
      case 1:  // nearly the negative of the first one
        return (x_ ^ 0x80000000) + static_cast<uint32_t>(random_() % 5) - 2;
      case 2: {  // a product near the subnormals
        const int field =
            static_cast<int>(random_() % 30) + 115 - static_cast<int>((x_ >> 23) & 0xFF);
        return (bits & 0x807FFFFF) | (static_cast<uint32_t>(std::clamp(field, 0, 254)) << 23);
      }
      default:
        return any();
    }
  }

 private:
  uint32_t any() {
    constexpr uint32_t kSpecial[] = {0,          1,          0x007FFFFF, 0x00800000, kOne,
                                     0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF};
    const auto bits = static_cast<uint32_t>(random_());
    switch (random_() % 8) {
      case 0:
        return (bits & 0x80000000) | kSpecial[random_() % 10];
      case 1:
        return bits & 0x807FFFFF;
      case 2:
      case 3:
        return bits & static_cast<uint32_t>(0xFF800000 >> random_() % 16);
      default:
        return bits;
    }
  }

  std::mt19937_64 random_;
  uint32_t x_ = 0;
};

TEST(Float, AddsAndMultipliesAsTheHost) {
  SCOPED_TRACE(testing::Message() << "MXE_MATH_SEED=" << seed());
  Pairs pairs(seed());
  for (uint64_t i = 0; i < pairs_wanted(); i++) {
    const uint32_t x = pairs.first(), y = pairs.second();
    ASSERT_EQ(mxe_add(x, y), host_bits(from_bits(x) + from_bits(y))) << std::hex << x << " + " << y;
    ASSERT_EQ(mxe_multiply(x, y), host_bits(from_bits(x) * from_bits(y)))
        << std::hex << x << " * " << y;
  }
}

TEST(Float, AddsRows) {
  const std::vector<float> x = {1, 2, 3, -0.0f, 1e38f}, y = {0.5f, -2, 1e-9f, 0, 3e38f};
  std::vector<float> sum(6, 7);
  mxe_add_rows(x.data(), y.data(), 5, sum.data());
  for (std::size_t i = 0; i < 5; i++) EXPECT_EQ(to_bits(sum[i]), to_bits(x[i] + y[i])) << i;
  EXPECT_EQ(sum[5], 7);
  sum = x;
  mxe_add_rows(sum.data(), y.data(), 5, sum.data());
  for (std::size_t i = 0; i < 5; i++) EXPECT_EQ(to_bits(sum[i]), to_bits(x[i] + y[i])) << i;
}

/// Distance of the result from the exact value > 0, in units of the last place of FP32.
double error_in_ulps(uint32_t result, double exact) {
  if (result >= 0x7F800000) return exact >= 0x1p128 * (1 - 0x1p-25) ? 0 : INFINITY;
  const int log2 = std::max(std::ilogb(exact), -126);
  return std::fabs(static_cast<double>(from_bits(result)) - exact) / std::ldexp(1.0, log2 - 23);
}

double exp_error(uint32_t x) {
  return error_in_ulps(mxe_exp(x), std::exp(static_cast<double>(from_bits(x))));
}

TEST(Float, ExpIsAsNearAsPromised) {
  // MXE_FLOAT_EXP_STEP=1 tests every number of this range.
  const char* text = std::getenv("MXE_FLOAT_EXP_STEP");
  const auto step = static_cast<uint32_t>(text ? std::stoul(text) : 1009);
  double worst = 0;
  for (uint32_t bits = 1; bits < 0x42D00000; bits += step) {  // to 104
    for (const uint32_t sign : {0u, 0x80000000u}) {
      const double error = exp_error(bits | sign);
      ASSERT_LT(error, 0.75) << std::hex << (bits | sign);
      worst = std::max(worst, error);
    }
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_GT(worst, 0.5);  // the measurement can detect errors
}

TEST(Float, ExpOfSpecials) {
  EXPECT_EQ(mxe_exp(0), kOne);
  EXPECT_EQ(mxe_exp(0x80000000), kOne);
  EXPECT_EQ(mxe_exp(1), kOne);
  EXPECT_EQ(mxe_exp(0x7F800000), 0x7F800000u);
  EXPECT_EQ(mxe_exp(0xFF800000), 0u);
  EXPECT_EQ(mxe_exp(0xFFFFFFFF), kQuietNan);
  EXPECT_EQ(mxe_exp(0x7F800001), kQuietNan);
  EXPECT_EQ(mxe_exp(0x7F7FFFFF), 0x7F800000u);
  EXPECT_EQ(mxe_exp(0xFF7FFFFF), 0u);
  EXPECT_EQ(mxe_exp(to_bits(104.0f)), 0x7F800000u);
  EXPECT_EQ(mxe_exp(to_bits(-104.0f)), 0u);
}

std::vector<float> softmax(std::vector<float> x, float scale) {
  mxe_softmax(x.data(), x.size(), to_bits(scale), x.data());
  return x;
}

TEST(Softmax, IsAsNearAsPromised) {
  SCOPED_TRACE(testing::Message() << "MXE_MATH_SEED=" << seed());
  std::mt19937 random(seed());
  double worst = 0;
  for (int row = 0; row < 300; row++) {
    const std::size_t count = 1 + random() % (row % 50 == 0 ? 32768 : 300);
    const float width = std::ldexp(1.0f, static_cast<int>(random() % 12) - 4);
    const float scale = 1 / std::sqrt(static_cast<float>(1 + random() % 128));
    std::normal_distribution<float> normal(0, width);
    std::vector<float> x(count);
    for (float& value : x) value = random() % 16 == 0 ? -INFINITY : normal(random);
    x[random() % count] = width;
    std::vector<float> t(count);
    for (std::size_t i = 0; i < count; i++) t[i] = scale * x[i];
    const float largest = *std::max_element(t.begin(), t.end());
    long double sum = 0;
    for (float& value : t) sum += std::exp(static_cast<long double>(value -= largest));
    const std::vector<float> weights = softmax(x, scale);
    for (std::size_t i = 0; i < count; i++) {
      const long double exact = std::exp(static_cast<long double>(t[i])) / sum;
      if (exact < 0x1p-126L) {
        ASSERT_LE(weights[i], 0x1p-126f) << i;
        continue;
      }
      const auto error = static_cast<double>(std::fabs(weights[i] - exact) / exact);
      ASSERT_LT(error, 0x1p-22) << "row " << row << " of " << count << ", weight " << i;
      worst = std::max(worst, error);
    }
  }
  EXPECT_GT(worst, 0x1p-24);
}

TEST(Softmax, OfSpecialRows) {
  const float inf = INFINITY;
  EXPECT_EQ(softmax({}, 1), std::vector<float>{});
  EXPECT_EQ(softmax({-3e38f}, 1), (std::vector<float>{1}));
  EXPECT_EQ(softmax({5, 5, 5, 5}, 1), (std::vector<float>{.25f, .25f, .25f, .25f}));
  EXPECT_EQ(softmax({-inf, 0, -inf, 0}, 1), (std::vector<float>{0, .5f, 0, .5f}));
  EXPECT_EQ(softmax({0, 400}, 1), (std::vector<float>{0, 1}));
  EXPECT_EQ(softmax({0, 400}, -1), (std::vector<float>{1, 0}));
  for (const std::vector<float>& row :
       {std::vector<float>{1, NAN, 2}, {-NAN}, {-inf, -inf}, {1, inf}, {NAN, inf, -inf}}) {
    for (const float weight : softmax(row, 1)) EXPECT_EQ(to_bits(weight), kQuietNan);
  }
}

}  // namespace
}  // namespace mxe::test
