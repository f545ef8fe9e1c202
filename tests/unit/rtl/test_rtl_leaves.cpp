// SPDX-License-Identifier: Apache-2.0
// The arithmetic leaves of the RTL, each separately, against model/numerics.
#include <Vleaf_top.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "model/numerics/formats/format.h"
#include "model/numerics/formats/scaled_format.h"
#include "model/numerics/gemm/accumulate.h"

double sc_time_stamp() { return 0; }

namespace mxe::test {
namespace {

constexpr std::size_t kFormats = numerics::kFormatCount;
using Word = std::array<uint8_t, kBlockSize>;  // one container per lane
using Decoded = std::array<uint32_t, 16>;      // 32 slots of 16 bits
using numerics::FormatId;

unsigned code_count(FormatId format) { return 1u << numerics::element_format(format).bits; }

class Leaves : public testing::Test {
 protected:
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  /// Decodes a word of `count` elements; the results stay on the pins.
  void decode(const Word& word, FormatId format, bool dual, unsigned count) {
    std::memcpy(&top_.word_i, word.data(), word.size());
    top_.fmt_i = static_cast<uint8_t>(format);
    top_.dual_i = dual;
    top_.count_i = static_cast<uint8_t>(count);
    top_.eval();
  }

  uint16_t slot(std::size_t lane) const {
    uint16_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(&top_.dec_o) + 2 * lane, 2);
    return value;
  }
  bool flag(unsigned group, std::size_t lane) const {
    return (top_.flags_o[group] >> lane & 1u) != 0;
  }
  Decoded decoded() const {
    Decoded copy{};
    std::memcpy(copy.data(), &top_.dec_o, sizeof copy);
    return copy;
  }

  Vleaf_top top_;
};

/// Value of a slot: (-1)^sign * mag * 16^grp.
int64_t slot_value(uint16_t slot) {
  const int64_t mag = slot >> 2 & 0xFF;
  const int64_t value = mag << (4 * (slot >> 10 & 7));
  return (slot & 1) != 0 ? -value : value;
}

TEST_F(Leaves, DecodeEveryCodeOfEveryFormat) {
  for (std::size_t f = 0; f < kFormats; f++) {
    const auto format = static_cast<FormatId>(f);
    for (unsigned code = 0; code < code_count(format); code++) {
      SCOPED_TRACE(testing::Message() << numerics::element_format(format).name << " code " << code);
      Word word{};
      word.fill(static_cast<uint8_t>(code));
      decode(word, format, false, kBlockSize);
      const float value = numerics::decode(format, static_cast<uint8_t>(code));
      for (std::size_t lane = 0; lane < kBlockSize; lane++) {
        EXPECT_EQ(flag(2, lane), std::isnan(value));
        EXPECT_EQ(flag(1, lane), std::isinf(value));
        EXPECT_EQ(flag(0, lane), value == 0);
        EXPECT_EQ((slot(lane) & 1) != 0, std::signbit(value) || (std::isnan(value) && code >= 128));
        if (std::isfinite(value)) {
          EXPECT_EQ(slot_value(slot(lane)), numerics::integer_table(format)[code]);
        }
      }
    }
  }
}

TEST_F(Leaves, DecodeDualHoldsBothBlocks) {
  for (FormatId format : {FormatId::mxfp4_e2m1, FormatId::mxfp4_e1m2}) {
    for (unsigned byte = 0; byte < 256; byte++) {
      Word word{};
      word.fill(static_cast<uint8_t>(byte));
      decode(word, format, true, 2 * kBlockSize);
      const auto magnitude = [&](unsigned code) {
        return static_cast<unsigned>(std::abs(numerics::integer_table(format)[code]));
      };
      const unsigned low = byte & 15, high = byte >> 4;
      const uint16_t expected = static_cast<uint16_t>(magnitude(high) << 6 | magnitude(low) << 2 |
                                                      (high >> 3) << 1 | low >> 3);
      for (std::size_t lane = 0; lane < kBlockSize; lane++) {
        EXPECT_EQ(slot(lane), expected) << "byte " << byte << " lane " << lane;
      }
    }
  }
}

TEST_F(Leaves, ElementsBeyondKDecodeToZero) {
  Word word{};
  word.fill(0x7F);  // NaN in E4M3
  for (unsigned count = 1; count <= kBlockSize; count++) {
    decode(word, FormatId::mxfp8_e4m3, false, count);
    for (std::size_t lane = 0; lane < kBlockSize; lane++) {
      EXPECT_EQ(flag(2, lane), lane < count);
      EXPECT_TRUE(lane < count || (slot(lane) >> 2 & 0xFF) == 0);
    }
  }
  word.fill(0x77);
  for (unsigned count = 1; count <= 2 * kBlockSize; count++) {
    decode(word, FormatId::mxfp4_e2m1, true, count);
    for (std::size_t lane = 0; lane < kBlockSize; lane++) {
      EXPECT_EQ((slot(lane) >> 2 & 15) != 0, lane < count);
      EXPECT_EQ((slot(lane) >> 6 & 15) != 0, kBlockSize + lane < count);
    }
  }
}

/// Sign-extends the low `width` bits of up to three words.
Int128 signed_value(const uint32_t* words, unsigned width) {
  Int128 value = 0;
  for (unsigned bit = 0; bit < width; bit++) {
    if (words[bit / 32] >> bit % 32 & 1) value |= Int128{1} << bit;
  }
  if (value >> (width - 1) & 1) value -= Int128{1} << width;
  return value;
}

TEST_F(Leaves, DotIsExactForEveryPair) {
  const uint64_t seed = 7;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (std::size_t pair = 0; pair < kFormats * kFormats; pair++) {
    const auto fa = static_cast<FormatId>(pair / kFormats);
    const auto fb = static_cast<FormatId>(pair % kFormats);
    for (int round = 0; round < 200; round++) {
      // Every fourth round: the largest magnitudes, with one sign or both.
      const auto pick = [&](FormatId format) {
        for (;;) {
          auto code = static_cast<uint8_t>(random() % code_count(format));
          const auto& integers = numerics::integer_table(format);
          if (round % 4 == 3) {
            for (unsigned c = 0; c < code_count(format); c++) {
              if (std::abs(integers[c]) > std::abs(integers[code])) code = static_cast<uint8_t>(c);
            }
            if (round % 8 == 3 && random() % 2 && format != FormatId::mxint8)
              code = static_cast<uint8_t>(code ^ code_count(format) / 2);
          }
          if (std::isfinite(numerics::decode(format, code))) return code;
        }
      };
      Word a{}, b{};
      Int128 expected = 0;
      for (std::size_t i = 0; i < kBlockSize; i++) {
        a[i] = pick(fa);
        b[i] = pick(fb);
        expected += Int128{numerics::integer_table(fa)[a[i]]} * numerics::integer_table(fb)[b[i]];
      }
      decode(a, fa, false, kBlockSize);
      const Decoded da = decoded();
      decode(b, fb, false, kBlockSize);
      const Decoded db = decoded();
      std::memcpy(&top_.a_i, da.data(), sizeof da);
      std::memcpy(&top_.b_i, db.data(), sizeof db);
      for (int i = 0; i < 4; i++) clock();
      const unsigned width = numerics::pair_tree_width(fa, fb);
      EXPECT_TRUE(signed_value(&top_.dot70_o[0], 70) == expected) << "pair " << pair;
      const uint64_t dot56 = top_.dot56_o, dot42 = top_.dot42_o;
      uint32_t words[2];
      if (width <= 56) {
        std::memcpy(words, &dot56, 8);
        EXPECT_TRUE(signed_value(words, 56) == expected) << "pair " << pair;
      }
      if (width <= 42) {
        std::memcpy(words, &dot42, 8);
        EXPECT_TRUE(signed_value(words, 42) == expected) << "pair " << pair;
      }
      if (HasFailure()) return;
    }
  }
}

class Codes {
 public:
  Codes() = default;
  void add(uint8_t code, uint16_t slot, int64_t value) { codes_.push_back({code, slot, value}); }
  struct Code {
    uint8_t code;
    uint16_t slot;
    int64_t value;
  };
  auto begin() const { return codes_.begin(); }
  auto end() const { return codes_.end(); }

 private:
  std::vector<Code> codes_;
};

void set_lane(uint32_t* pins, std::size_t lane, uint16_t slot) {
  std::memset(pins, 0, sizeof(Decoded));
  pins[lane / 2] = uint32_t{slot} << (lane % 2 * 16);
}

TEST_F(Leaves, EveryProductOfEveryPair) {
  std::array<Codes, kFormats> codes;
  for (std::size_t f = 0; f < kFormats; f++) {
    const auto format = static_cast<FormatId>(f);
    for (unsigned code = 0; code < code_count(format); code++) {
      Word word{};
      word.fill(static_cast<uint8_t>(code));
      decode(word, format, false, kBlockSize);
      if (flag(2, 0) || flag(1, 0)) continue;  // NaN and Inf bypass the tree
      codes[f].add(static_cast<uint8_t>(code), slot(0), numerics::integer_table(format)[code]);
    }
  }
  struct Product {
    Int128 value;
    unsigned width;
  };
  constexpr std::size_t kLatency = 4;
  std::deque<Product> pending;
  top_.dual_i = 0;
  std::size_t products = 0;
  const auto sign_extended = [](uint64_t value, unsigned width) {
    return static_cast<int64_t>(value << (64 - width)) >> (64 - width);
  };
  const auto check = [&](const Product& expected) {
    ASSERT_TRUE(signed_value(&top_.dot70_o[0], 70) == expected.value);
    if (expected.width <= 56) {
      ASSERT_TRUE(sign_extended(top_.dot56_o, 56) == expected.value);
    }
    if (expected.width <= 42) {
      ASSERT_TRUE(sign_extended(top_.dot42_o, 42) == expected.value);
    }
  };
  for (std::size_t fa = 0; fa < kFormats; fa++) {
    for (std::size_t fb = 0; fb < kFormats; fb++) {
      const unsigned width =
          numerics::pair_tree_width(static_cast<FormatId>(fa), static_cast<FormatId>(fb));
      for (const auto& a : codes[fa]) {
        for (const auto& b : codes[fb]) {
          const std::size_t lane = products++ % kBlockSize;
          set_lane(&top_.a_i[0], lane, a.slot);
          set_lane(&top_.b_i[0], lane, b.slot);
          pending.push_back({Int128{a.value} * b.value, width});
          clock();
          if (pending.size() < kLatency) continue;
          check(pending.front());
          if (HasFatalFailure()) {
            FAIL() << "pair " << fa << "," << fb << " codes about " << int{a.code} << ","
                   << int{b.code};
          }
          pending.pop_front();
        }
      }
    }
  }
  EXPECT_GT(products, 800'000u);
}

TEST_F(Leaves, EveryScaleOfNvfp4) {
  for (unsigned code = 0; code < 256; code++) {
    top_.scale_code_i = static_cast<uint8_t>(code);
    top_.eval();
    const auto expected =
        numerics::scale_number(numerics::ScaleKind::ue4m3, static_cast<uint8_t>(code));
    EXPECT_EQ(top_.scale_nan_o != 0, expected.is_nan) << code;
    if (expected.is_nan) continue;
    EXPECT_EQ(std::ldexp(top_.scale_o & 15, (top_.scale_o >> 4) - 9),
              std::ldexp(expected.significand, expected.exponent))
        << code;
  }
}

// Every sum that 16 products can have, times every pair of significands, with any exponents.
TEST_F(Leaves, EverySumTimesEveryScale) {
  constexpr std::size_t kLatency = 2;
  constexpr int kMostSum = 16 * 12 * 12;
  constexpr uint32_t kMask = 0x1FFF;
  std::mt19937 random(41);
  std::deque<int64_t> pending;
  for (int sum = -kMostSum; sum <= kMostSum; sum++) {
    for (unsigned a = 0; a < 16; a++) {
      for (unsigned b = 0; b <= a; b++) {
        const auto ea = static_cast<uint32_t>(random() % 15),
                   eb = static_cast<uint32_t>(random() % 15),
                   ones = static_cast<uint32_t>(random() % 4);
        top_.block_ones_i = static_cast<uint8_t>(ones);
        top_.block_sum_i = static_cast<uint16_t>(random() & kMask);
        top_.block_carry_i = static_cast<uint16_t>(
            (static_cast<uint32_t>(sum) - top_.block_sum_i - (ones >> 1) - (ones & 1)) & kMask);
        top_.block_scales_i = static_cast<uint16_t>((ea << 4 | a) << 8 | eb << 4 | b);
        pending.push_back(int64_t{sum} * a * b * (int64_t{1} << (ea + eb)));
        clock();
        if (pending.size() < kLatency) continue;
        const auto term = static_cast<int64_t>(top_.term_o << 16) >> 16;
        ASSERT_EQ(term, pending.front()) << "sum about " << sum << ", scales " << a << ' ' << b;
        pending.pop_front();
      }
    }
  }
}

TEST_F(Leaves, EveryDualProductOfEveryPair) {
  constexpr std::size_t kLatency = 4;
  std::deque<int64_t> pending;
  std::size_t products = 0;
  const std::array<FormatId, 2> formats = {FormatId::mxfp4_e2m1, FormatId::mxfp4_e1m2};
  std::array<std::array<uint16_t, 256>, 2> slots{};
  for (std::size_t f = 0; f < 2; f++) {
    for (unsigned byte = 0; byte < 256; byte++) {
      Word word{};
      word.fill(static_cast<uint8_t>(byte));
      decode(word, formats[f], true, 2 * kBlockSize);
      slots[f][byte] = slot(0);
    }
  }
  top_.dual_i = 1;
  for (std::size_t fa = 0; fa < 2; fa++) {
    for (std::size_t fb = 0; fb < 2; fb++) {
      const auto& ia = numerics::integer_table(formats[fa]);
      const auto& ib = numerics::integer_table(formats[fb]);
      for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++) {
          const std::size_t lane = products++ % kBlockSize;
          set_lane(&top_.a_i[0], lane, slots[fa][a]);
          set_lane(&top_.b_i[0], lane, slots[fb][b]);
          const int64_t even = int64_t{ia[a & 15]} * ib[b & 15];
          const int64_t odd = int64_t{ia[a >> 4]} * ib[b >> 4];
          pending.push_back((even & 0xFFFFF) | odd * (int64_t{1} << 20));
          clock();
          if (pending.size() < kLatency) continue;
          ASSERT_TRUE(signed_value(&top_.dot70_o[0], 70) == pending.front())
              << "bytes about " << a << "," << b;
          ASSERT_EQ(static_cast<int64_t>(top_.dot42_o << 22) >> 22, pending.front());
          pending.pop_front();
        }
      }
    }
  }
}

/// An accumulator near the sum's magnitude, or any one.
uint32_t pick_accumulator(std::mt19937_64& random, Int128 sum, int exponent) {
  uint32_t bits = static_cast<uint32_t>(random());
  switch (random() % 4) {
    case 0:
      break;
    case 1: {  // -sum, rounded, or its neighbour: cancels the sum almost or completely
      bits = numerics::accumulate(0, -sum, exponent) + static_cast<uint32_t>(random() % 3) - 1;
      break;
    }
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

TEST_F(Leaves, AccumulateRoundsOnce) {
  const uint64_t seed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  constexpr std::size_t kLatency = 5;
  struct Expected {
    uint32_t acc70, acc42, acc14, acc;
  };
  std::deque<Expected> pending;
  for (int i = 0; i < 300'000; i++) {
    const unsigned width = 1 + static_cast<unsigned>(random() % 69);
    const auto raw = static_cast<Int128>(random()) << 64 | static_cast<Int128>(random());
    Int128 sum = raw & ((Int128{1} << width) - 1);
    if (random() % 3 == 0) sum = (Int128{1} << (width - 1)) + static_cast<int>(random() % 3) - 1;
    if (random() % 2) sum = -sum;
    const int exponent = static_cast<int>(random() % 541) - 286;
    const uint32_t acc = pick_accumulator(random, sum, exponent);
    const auto narrow = [&](unsigned bits) {
      uint32_t words[4];
      std::memcpy(words, &sum, sizeof words);
      return signed_value(words, bits);
    };
    uint32_t words[4];
    std::memcpy(words, &sum, sizeof words);
    words[2] &= 0x3F;
    std::memcpy(&top_.sum_i, words, 12);
    top_.exp_i = static_cast<uint16_t>(exponent & 0x3FF);
    top_.acc_i = acc;
    pending.push_back({numerics::accumulate(acc, narrow(70), exponent),
                       numerics::accumulate(acc, narrow(42), exponent),
                       numerics::accumulate(acc, narrow(14), exponent), acc});
    clock();
    if (pending.size() < kLatency) continue;
    const Expected expected = pending.front();
    pending.pop_front();
    ASSERT_EQ(top_.acc70_o, expected.acc70) << "acc " << std::hex << expected.acc;
    ASSERT_EQ(top_.acc42_o, expected.acc42) << "acc " << std::hex << expected.acc;
    ASSERT_EQ(top_.acc14_o, expected.acc14) << "acc " << std::hex << expected.acc;
  }
}

TEST_F(Leaves, MergeAddsTheChains) {
  const uint64_t seed = 13;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50'000; i++) {
    auto even = static_cast<uint32_t>(random());
    auto odd = static_cast<uint32_t>(random());
    if (i % 2) odd = (odd & 0x80FFFFFF) | (even & 0x7F000000);  // alike in magnitude
    if (i % 16 == 3) odd = even ^ 0x80000000;
    top_.acc_i = even;
    top_.odd_i = odd;
    for (int c = 0; c < 5; c++) clock();
    ASSERT_EQ(top_.merged_o, numerics::merge_chains(even, odd)) << std::hex << even << " + " << odd;
  }
}

}  // namespace
}  // namespace mxe::test
