// SPDX-License-Identifier: Apache-2.0
// Results as MX blocks: largest magnitude, scale, element codes, packing.
#include "model/blocks/requant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "model/numerics/formats/layout.h"
#include "model/numerics/quantize/requantize.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::blocks {
namespace {

using numerics::FormatId;

constexpr numerics::ScaleRule kRules[] = {numerics::ScaleRule::floor, numerics::ScaleRule::ceil,
                                          numerics::ScaleRule::even, numerics::ScaleRule::rceil};

class Requantiser : public testing::TestWithParam<FormatId> {};

TEST_P(Requantiser, ScaleOfEveryExponentAndBoundary) {
  std::vector<uint32_t> fractions = {0, 1, 2, 0x7FFFFF, 0x7FFFFE, 0x555555, 0x2AAAAA};
  for (unsigned ones = 1; ones < 23; ones++) {
    const uint32_t top = 0x7FFFFF & ~(0x7FFFFFu >> ones);
    for (const uint32_t fraction : {top - 1, top, top + 1, 1u << (23 - ones)}) {
      fractions.push_back(fraction);
    }
  }
  for (const numerics::ScaleRule rule : kRules) {
    for (uint32_t exponent = 0; exponent < 256; exponent++) {
      for (const uint32_t fraction : fractions) {
        const uint32_t bits = exponent << 23 | fraction;
        const float x = from_bits(bits);
        uint8_t code = 0, scale = 0;
        numerics::requantize_block(&x, 1, {GetParam(), rule, numerics::Overflow::saturate}, &code,
                                   scale);
        Amax amax;
        RequantScale block;
        block.evaluate(amax.evaluate(&bits), fmt_info(GetParam()), static_cast<Rule>(rule));
        ASSERT_EQ(block.scale_o, scale) << std::hex << bits << " rule " << int(rule);
      }
    }
  }
}

/// Results whose magnitudes lie within some binades, with ties and specials.
std::vector<uint32_t> random_row(std::mt19937_64& random, unsigned columns) {
  std::vector<uint32_t> row(kBlockSize);
  const auto pick = [&random](uint64_t limit) { return static_cast<uint32_t>(random() % limit); };
  const uint32_t binade = pick(255), spread = 1 + pick(24);
  for (unsigned i = 0; i < columns; i++) {
    const uint32_t below = std::min(pick(spread), binade);
    uint32_t fraction = pick(1u << 23);
    if (pick(2) != 0) fraction &= 0x7FFFFFu << pick(23);
    row[i] = pick(2) << 31 | (binade - below) << 23 | fraction;
  }
  if (pick(16) == 0) row[pick(columns)] = pick(2) != 0 ? 0x7FC00000 : 0xFF800000;
  if (pick(16) == 0) std::fill(row.begin(), row.end(), pick(2) << 31);
  return row;
}

TEST_P(Requantiser, RowsLikeTheReference) {
  const uint64_t seed = 19;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const int bits = numerics::element_format(GetParam()).bits;
  for (int round = 0; round < 40'000; round++) {
    const auto columns = static_cast<unsigned>(1 + random() % kBlockSize);
    const std::vector<uint32_t> row = random_row(random, columns);
    const numerics::RequantOptions options{
        GetParam(), kRules[random() % 4],
        random() % 2 ? numerics::Overflow::special : numerics::Overflow::saturate};
    float values[kBlockSize];
    std::memcpy(values, row.data(), sizeof values);
    uint8_t codes[kBlockSize]{}, scale = 0;
    bool overflowed[kBlockSize]{};
    numerics::requantize_block(values, columns, options, codes, scale, overflowed);
    const std::vector<uint8_t> packed =
        numerics::pack_codes(codes, 1, columns, bits, numerics::NibbleOrder::low);

    Requant requant(1u << random() % 5);
    requant.evaluate(row.data(), columns, fmt_info(GetParam()), static_cast<Rule>(options.rule),
                     options.overflow == numerics::Overflow::special);
    ASSERT_EQ(requant.scale.scale_o, scale);
    ASSERT_TRUE(std::equal(packed.begin(), packed.end(), requant.pack.begin()));
    for (unsigned i = 0; i < columns; i++) {
      ASSERT_EQ((requant.over >> i & 1) != 0, overflowed[i]) << std::hex << row[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Requantiser, testing::ValuesIn(numerics::kAllFormats),
                         [](const testing::TestParamInfo<FormatId>& test) {
                           return numerics::element_format(test.param).name;
                         });

TEST(Amax, IsTheLargestOfEveryWidth) {
  std::mt19937 random(2);
  for (unsigned lanes = 1; lanes <= kMaxSegmentLanes; lanes *= 2) {
    Amax amax(lanes);
    for (int i = 0; i < 1000; i++) {
      std::vector<uint32_t> values(lanes);
      uint32_t largest = 0;
      for (uint32_t& value : values) {
        value = static_cast<uint32_t>(random()) >> (random() % 31);
        if (random() % 2) value |= 0x80000000u;
        largest = std::max(largest, value & 0x7FFFFFFF);
      }
      const uint32_t expected = largest >> 15 << 1 | uint32_t{(largest & 0x7FFF) != 0};
      ASSERT_EQ(amax.evaluate(values.data()), expected);
    }
  }
}

}  // namespace
}  // namespace mxe::blocks
