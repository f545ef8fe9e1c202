// SPDX-License-Identifier: Apache-2.0
// The requantiser's arithmetic against model/numerics: every exponent with every fraction at which
// a scale rule changes its result, every code, and every midpoint between two codes.
#include <Vrequant_top.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "model/numerics/base/bits.h"
#include "model/numerics/formats/format.h"
#include "model/numerics/quantize/requantize.h"

double sc_time_stamp() { return 0; }

namespace mxe::test {
namespace {

using numerics::FormatId;

constexpr numerics::ScaleRule kRules[] = {numerics::ScaleRule::floor, numerics::ScaleRule::ceil,
                                          numerics::ScaleRule::even, numerics::ScaleRule::rceil};
constexpr unsigned kLaneClocks = 4;

class Requantiser : public testing::TestWithParam<FormatId> {
 protected:
  void SetUp() override { top_.fmt_i = static_cast<uint8_t>(GetParam()); }
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }
  Vrequant_top top_;
};

/// Fractions of 23 bits around every boundary of the form 0.1...10...0.
std::vector<uint32_t> boundary_fractions() {
  std::vector<uint32_t> fractions = {0, 1, 2, 0x7FFFFF, 0x7FFFFE, 0x555555, 0x2AAAAA};
  for (unsigned ones = 1; ones < 23; ones++) {
    const uint32_t top = 0x7FFFFF & ~(0x7FFFFFu >> ones);
    for (const int step : {-1, 0, 1}) fractions.push_back(top + static_cast<uint32_t>(step));
    fractions.push_back(1u << (23 - ones));
  }
  return fractions;
}

TEST_P(Requantiser, ScaleOfEveryExponentAndBoundary) {
  const std::vector<uint32_t> fractions = boundary_fractions();
  unsigned wrong = 0;
  for (const numerics::ScaleRule rule : kRules) {
    top_.rule_i = static_cast<uint8_t>(rule);
    for (uint32_t exponent = 0; exponent < 256; exponent++) {
      for (const uint32_t fraction : fractions) {
        const uint32_t amax = exponent << 23 | fraction;
        top_.amax_i = amax;
        top_.eval();
        const float x = from_bits(amax);
        uint8_t code = 0, scale = 0;
        numerics::requantize_block(&x, 1, {GetParam(), rule, numerics::Overflow::saturate}, &code,
                                   scale);
        if (top_.scale_o != scale && wrong++ < 5) {
          ADD_FAILURE() << std::hex << "amax 0x" << amax << ", rule " << int(rule) << ": 0x"
                        << int(top_.scale_o) << ", expected 0x" << int(scale);
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0u);
}

struct Expected {
  float x;
  uint8_t scale, code;
  bool overflowed;
};

TEST_P(Requantiser, EveryCodeAndMidpoint) {
  const numerics::ElementFormat& format = numerics::element_format(GetParam());
  const int emax = format.emax;
  // Positive multiples of the scale: all numbers, midpoints, their neighbours, and larger ones.
  std::vector<float> multiples = {0.0f, 1e-30f, 1e-12f};
  for (uint32_t code = 0; code < format.max_code + 1; code++) {
    const double value = std::fabs(format.decode(code));
    const double next = code < format.max_code ? std::fabs(format.decode(code + 1))
                                               : 2 * value - std::fabs(format.decode(code - 1));
    for (const double number : {value, (value + next) / 2, next}) {
      const auto f = static_cast<float>(number);
      multiples.insert(multiples.end(), {f, std::nextafterf(f, 1e30f), std::nextafterf(f, 0.0f)});
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2000; i++) {
    const float spread = static_cast<float>(random() % 4000) / 100.0f - 34.0f;
    multiples.push_back(std::exp2(spread + static_cast<float>(emax)));
  }

  unsigned wrong = 0;
  std::size_t checked = 0;
  std::deque<Expected> under_way;
  const auto push = [&](const Expected& element) {
    top_.x_i = to_bits(element.x);
    top_.scale_i = under_way.empty() ? uint8_t{0} : under_way.back().scale;
    under_way.push_back(element);
    clock();
    if (under_way.size() < kLaneClocks) return;
    const Expected& done = under_way.front();
    checked++;
    if ((top_.code_o != done.code || (top_.over_o != 0) != done.overflowed) && wrong++ < 5) {
      ADD_FAILURE() << std::hex << "x 0x" << to_bits(done.x) << ", scale 0x" << int(done.scale)
                    << ": 0x" << int(top_.code_o) << (top_.over_o ? " over" : "") << ", expected 0x"
                    << int(done.code) << (done.overflowed ? " over" : "");
    }
    under_way.pop_front();
  };
  for (const numerics::Overflow overflow :
       {numerics::Overflow::saturate, numerics::Overflow::special}) {
    top_.special_i = overflow == numerics::Overflow::special;
    for (int scale = 0; scale <= 254; scale += (scale < 30 || scale > 230) ? 1 : 20) {
      for (const float multiple : multiples) {
        for (const double sign : {1.0, -1.0}) {
          // This second number makes rule `floor` select this scale.
          const double largest = pow2(scale - 127 + emax);
          const auto x = static_cast<float>(sign * multiple * pow2(scale - 127));
          const float block[] = {x, static_cast<float>(largest)};
          if (std::fabs(x) >= 2 * largest || !std::isfinite(block[1])) continue;
          uint8_t codes[2], actual = 0;
          bool overflowed[2];
          numerics::requantize_block(block, 2, {GetParam(), numerics::ScaleRule::floor, overflow},
                                     codes, actual, overflowed);
          ASSERT_EQ(actual, scale);
          push({x, actual, codes[0], overflowed[0]});
        }
      }
    }
    under_way.clear();
  }
  EXPECT_EQ(wrong, 0u);
  RecordProperty("elements", static_cast<int>(checked));
  EXPECT_GT(checked, 100'000u);
}

TEST_P(Requantiser, PoisonedBlockHasCodesZero) {
  top_.special_i = 1;
  top_.scale_i = 0xFF;
  for (const uint32_t x : {0x7F800000u, 0x7FC00000u, 0xFF800000u, 0x3F800000u, 0x7F7FFFFFu, 0u}) {
    top_.x_i = x;
    for (unsigned i = 0; i < kLaneClocks; i++) clock();
    EXPECT_EQ(top_.code_o, 0) << std::hex << x;
    EXPECT_EQ(top_.over_o, 0) << std::hex << x;
  }
}

TEST_P(Requantiser, LargestMagnitudeOfEight) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; i++) {
    uint32_t values[8], largest = 0;
    for (uint32_t& value : values) {
      value = static_cast<uint32_t>(random()) >> (random() % 31);
      if (random() % 2) value |= 0x80000000u;
      largest = std::max(largest, value & 0x7FFFFFFF);
    }
    std::memcpy(&top_.group_i, values, sizeof values);
    for (int level = 0; level < 3; level++) clock();
    // Exponent, eight bits of the fraction, and a sticky bit of the rest.
    ASSERT_EQ(top_.amax8_o, largest >> 15 << 1 | ((largest & 0x7FFF) != 0));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Requantiser, testing::ValuesIn(numerics::kAllFormats),
                         [](const testing::TestParamInfo<FormatId>& test) {
                           return numerics::element_format(test.param).name;
                         });

}  // namespace
}  // namespace mxe::test
