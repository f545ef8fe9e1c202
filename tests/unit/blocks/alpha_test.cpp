// SPDX-License-Identifier: Apache-2.0
// The factor of a job's results, against the processor's multiplication.
#include "model/blocks/alpha.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "model/numerics/base/bits.h"
#include "model/numerics/gemm/gemm_definition.h"

namespace mxe::blocks {
namespace {

uint32_t expected(uint32_t alpha, uint32_t x) {
  return to_bits(numerics::apply_alpha(from_bits(alpha), from_bits(x), nullptr));
}

void expect_product(uint32_t alpha, uint32_t x) {
  Alpha block;
  ASSERT_EQ(block.evaluate(alpha, x), expected(alpha, x))
      << std::hex << "alpha " << alpha << ", x " << x;
}

TEST(Alpha, Specials) {
  constexpr std::array<uint32_t, 14> kBits = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000,
      0xBF800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x1A000000};
  for (const uint32_t alpha : kBits) {
    for (const uint32_t x : kBits) expect_product(alpha, x);
  }
}

// Normal, subnormal and overflowing products, and ties: significands with few bits.
TEST(Alpha, EqualsMultiplication) {
  const uint64_t seed = 51;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const auto number = [&random](uint32_t exponent) {
    auto fraction = static_cast<uint32_t>(random()) & 0x7FFFFF;
    if (random() % 2 == 0) fraction &= 0x7FF000;
    if (random() % 8 == 0) exponent = 0;
    return static_cast<uint32_t>(random() % 2) << 31 | exponent << 23 | fraction;
  };
  for (int i = 0; i < 1'000'000; i++) {
    const auto alpha_exponent = static_cast<uint32_t>(random() % 255);
    auto x_exponent = static_cast<uint32_t>(random() % 255);
    if (random() % 2 == 0) {  // a product near the subnormals
      const auto near = static_cast<int64_t>(127 - static_cast<int64_t>(alpha_exponent)) +
                        static_cast<int64_t>(random() % 30) - 24;
      if (near > 0 && near < 255) x_exponent = static_cast<uint32_t>(near);
    }
    expect_product(number(alpha_exponent), number(x_exponent));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace mxe::blocks
