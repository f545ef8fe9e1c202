// SPDX-License-Identifier: Apache-2.0
// From the bytes of an operand word to an exact sum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "model/blocks/array.h"
#include "model/blocks/expand.h"
#include "model/blocks/visitor.h"
#include "model/numerics/formats/layout.h"
#include "model/numerics/gemm/accumulate.h"

namespace mxe::blocks {
namespace {

using numerics::FormatId;

unsigned code_count(FormatId format) { return 1u << numerics::element_format(format).bits; }

int64_t value_of(const Dec& dec) {
  const int64_t value = int64_t{dec.mag} << 4 * dec.grp;
  return (dec.sign & 1) != 0 ? -value : value;
}

TEST(Expand, GivesEachElementItsContainer) {
  std::mt19937 random(1);
  for (const FormatId format : numerics::kAllFormats) {
    const FmtInfo fmt = fmt_info(format);
    std::vector<uint8_t> codes(fmt.is4 ? 64 : 32);
    for (uint8_t& code : codes) code = static_cast<uint8_t>(random() % code_count(format));
    const std::vector<uint8_t> packed = numerics::pack_codes(
        codes.data(), 1, codes.size(), static_cast<int>(fmt.bits), numerics::NibbleOrder::low);
    Word bytes{};
    std::copy(packed.begin(), packed.end(), bytes.begin());
    Expand expand;
    expand.evaluate(bytes, fmt);
    for (unsigned i = 0; i < kBlockSize; i++) {
      const unsigned expected = fmt.is4 ? codes[kBlockSize + i] << 4 | codes[i] : codes[i];
      EXPECT_EQ(expand.lanes_o[i], expected)
          << numerics::element_format(format).name << " lane " << i;
    }
  }
}

TEST(Decode, EveryCodeOfEveryFormat) {
  for (const FormatId format : numerics::kAllFormats) {
    for (unsigned code = 0; code < code_count(format); code++) {
      SCOPED_TRACE(testing::Message() << numerics::element_format(format).name << " code " << code);
      Decode decode;
      decode.evaluate(code, fmt_info(format), false, 1);
      const float value = numerics::decode(format, static_cast<uint8_t>(code));
      EXPECT_EQ(decode.nan_o, std::isnan(value));
      EXPECT_EQ(decode.inf_o, std::isinf(value));
      EXPECT_EQ(decode.zero_o, value == 0);
      EXPECT_EQ((decode.dec_o.sign & 1) != 0,
                code >> (numerics::element_format(format).bits - 1) != 0);
      if (std::isfinite(value)) {
        EXPECT_EQ(value_of(decode.dec_o), numerics::integer_table(format)[code]);
      }
    }
  }
}

TEST(Decode, HoldsBothBlocksAtTheDualRate) {
  for (const FormatId format : {FormatId::mxfp4_e2m1, FormatId::mxfp4_e1m2}) {
    const auto& integers = numerics::integer_table(format);
    for (unsigned byte = 0; byte < 256; byte++) {
      Decode decode;
      decode.evaluate(byte, fmt_info(format), true, 3);
      EXPECT_EQ(decode.dec_o.mag & 15, std::abs(integers[byte & 15]));
      EXPECT_EQ(decode.dec_o.mag >> 4, std::abs(integers[byte >> 4]));
      EXPECT_EQ(decode.dec_o.sign, (byte >> 7) << 1 | (byte >> 3 & 1));
      decode.evaluate(byte, fmt_info(format), true, 1);
      EXPECT_EQ(decode.dec_o.mag, std::abs(integers[byte & 15]));
    }
  }
}

TEST(DecodeWord, DropsWhatIsBeyondK) {
  DecodeWord decode;
  decode.start(fmt_info(FormatId::mxfp8_e4m3), false);
  Word word;
  word.fill(0x7F);
  for (unsigned count = 1; count <= kBlockSize; count++) {
    decode.evaluate(word, count);
    EXPECT_EQ(decode.out.nan, mask64<32>(uint64_t{0xFFFFFFFF} >> (kBlockSize - count)));
    for (unsigned i = count; i < kBlockSize; i++) EXPECT_EQ(decode.out.mag[i], 0);
    EXPECT_EQ(decode.out.zero, ~decode.out.nan);
  }
}

/// The product of two codes in a lane.
template <unsigned Width>
Int128 product(const Dec& a, const Dec& b) {
  Lane<Width> lane;
  lane.evaluate(false, a, b);
  return sign_extend<Width>(lane.product_o) + (lane.neg & 1);
}

TEST(Lane, EveryProductOfEveryPair) {
  for (const FormatId fa : numerics::kAllFormats) {
    for (const FormatId fb : numerics::kAllFormats) {
      const unsigned width = numerics::pair_tree_width(fa, fb);
      for (unsigned ca = 0; ca < code_count(fa); ca++) {
        Decode a;
        a.evaluate(ca, fmt_info(fa), false, 1);
        if (a.nan_o || a.inf_o) continue;
        for (unsigned cb = 0; cb < code_count(fb); cb++) {
          Decode b;
          b.evaluate(cb, fmt_info(fb), false, 1);
          if (b.nan_o || b.inf_o) continue;
          const Int128 expected =
              Int128{numerics::integer_table(fa)[ca]} * numerics::integer_table(fb)[cb];
          ASSERT_TRUE((product<70>(a.dec_o, b.dec_o)) == expected);
          if (width <= 56) {
            ASSERT_TRUE((product<56>(a.dec_o, b.dec_o)) == expected);
          }
          if (width <= 42) {
            ASSERT_TRUE((product<42>(a.dec_o, b.dec_o)) == expected);
          }
        }
      }
    }
  }
}

/// Random words of a format, or its largest magnitudes alone.
class Words {
 public:
  explicit Words(uint64_t seed) : random_(seed) {}

  Word word(FormatId format, bool dual, bool largest) {
    Word word;
    for (uint8_t& container : word) {
      container = code(format, largest);
      if (dual) container = static_cast<uint8_t>(container | code(format, largest) << 4);
    }
    return word;
  }
  uint64_t below(uint64_t limit) { return random_() % limit; }

 private:
  uint8_t code(FormatId format, bool largest) {
    const numerics::ElementFormat& f = numerics::element_format(format);
    const auto sign = static_cast<uint8_t>(random_() % 2 * f.sign_mask());
    if (f.kind == numerics::FormatKind::integer) {
      return static_cast<uint8_t>(largest ? f.max_code + 1 : random_());
    }
    const uint64_t magnitude = largest ? f.max_code : random_() % (f.max_code + 1);
    return static_cast<uint8_t>(magnitude | sign);
  }

  std::mt19937_64 random_;
};

// The inner values that a visitor reads must add up to the sum.
template <unsigned TreeW>
void expect_inside_adds_up(const Dot<TreeW>& dot) {
  ASSERT_TRUE(dot.inside().sum() == dot.sum_q);
}

template <unsigned TreeW>
void expect_exact_sums(uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", TREE_W " << TreeW);
  Words words(seed);
  for (const FormatId fa : numerics::kAllFormats) {
    for (const FormatId fb : numerics::kAllFormats) {
      if (numerics::pair_tree_width(fa, fb) > TreeW) continue;
      const bool four = numerics::is_four_bit(fa) && numerics::is_four_bit(fb);
      DecodeWord a, b;
      for (unsigned round = 0; round < 100; round++) {
        const bool dual = four && round % 2 != 0;
        a.start(fmt_info(fa), dual);
        b.start(fmt_info(fb), dual);
        const Word wa = words.word(fa, dual, round % 8 > 5);
        const Word wb = words.word(fb, dual, round % 8 > 5);
        a.evaluate(wa, 2 * kBlockSize);
        b.evaluate(wb, dual ? 2 * kBlockSize : kBlockSize);
        Int128 even = 0, odd = 0;
        for (unsigned i = 0; i < kBlockSize; i++) {
          const auto& ia = numerics::integer_table(fa);
          const auto& ib = numerics::integer_table(fb);
          const unsigned low = dual ? 15 : 255;
          even += Int128{ia[wa[i] & low]} * ib[wb[i] & low];
          if (dual) odd += Int128{ia[wa[i] >> 4]} * ib[wb[i] >> 4];
        }
        Dot<TreeW> dot;
        dot.evaluate(dual, a.out, b.out, {});
        const Bits low =
            dual ? mask<kPackPosition>(static_cast<Bits>(even)) : static_cast<Bits>(even);
        ASSERT_TRUE(dot.sum_q == mask<TreeW>(low | static_cast<Bits>(odd) << kPackPosition))
            << numerics::element_format(fa).name << " " << numerics::element_format(fb).name;
        ASSERT_NO_FATAL_FAILURE(expect_inside_adds_up(dot));
      }
    }
  }
}

TEST(Dot, IsExactForEveryPair) {
  expect_exact_sums<70>(7);
  expect_exact_sums<56>(8);
  expect_exact_sums<42>(9);
}

// Between jobs the pipeline holds words of no format, such as groups at the dual rate.
TEST(Dot, InsideAddsUpForAnyWord) {
  constexpr uint64_t kSeed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  const auto any_word = [&random](unsigned largest_group) {
    DecodedWord word;
    for (unsigned i = 0; i < kBlockSize; i++) {
      word.grp[i] = static_cast<uint8_t>(random() % (largest_group + 1));
      word.mag[i] = static_cast<uint8_t>(random());
      word.sign[i] = static_cast<uint8_t>(random() & 3);
    }
    return word;
  };
  for (unsigned round = 0; round < 2000; round++) {
    Dot<70> dot;
    dot.evaluate(round % 2 != 0, any_word(round % 8), any_word(round % 8), {});
    ASSERT_NO_FATAL_FAILURE(expect_inside_adds_up(dot)) << "round " << round;
  }
}

TEST(Scale, AddsExponentsAndFindsSpecials) {
  DecodedWord a, b;
  a.zero = 1;
  b.neg = 0xF0;
  Scale scale;
  for (int base = -286; base <= 1; base++) {
    for (uint32_t xb = 0; xb < 256; xb++) {
      scale.evaluate(base, false, xb, a, b);
      ASSERT_EQ(scale.exp_o, base + static_cast<int32_t>(xb));
      ASSERT_EQ(scale.nan_o, xb == 255);
      ASSERT_FALSE(scale.pinf_o || scale.ninf_o);
    }
  }
  scale.evaluate(0, true, 127, a, b);
  EXPECT_TRUE(scale.nan_o);
  a.inf = 0x10;  // times a negative number
  scale.evaluate(0, false, 127, a, b);
  EXPECT_TRUE(scale.ninf_o && !scale.pinf_o && !scale.nan_o);
  b.inf = 0x2;  // times a number
  scale.evaluate(0, false, 127, a, b);
  EXPECT_TRUE(scale.ninf_o && scale.pinf_o && !scale.nan_o);
  b.inf = 0x1;  // times zero, on either side
  scale.evaluate(0, false, 127, a, b);
  EXPECT_TRUE(scale.nan_o);
  scale.evaluate(0, false, 127, b, a);
  EXPECT_TRUE(scale.nan_o);
}

TEST(Visitor, SeesEveryValueInItsWidthAndNamesTheFirstDifference) {
  Words words(3);
  Array<70> first(2, 4, true), second(2, 4, true);
  const Word a = words.word(FormatId::mxfp8_e5m2, false, false);
  Word b = words.word(FormatId::mxfp8_e5m2, false, false);
  const FmtInfo fmt = fmt_info(FormatId::mxfp8_e5m2);
  for (Array<70>* array : {&first, &second}) {
    array->start(fmt, fmt, false, false);
    array->load_b(0, b, 127, kBlockSize);
    if (array == &second) b[9] ^= 0x80;
    array->load_b(1, b, 127, kBlockSize);
    array->swap_b();
    array->evaluate(a, 127, 2, 3, true, nullptr);
  }
  const std::vector<Value> values = values_of(first);
  EXPECT_GT(values.size(), 2000u);
  for (const Value& value : values) {
    ASSERT_TRUE(value.width == 128 || value.bits >> value.width == 0) << value.path;
  }
  const auto has = [&values](const char* path) {
    return std::any_of(values.begin(), values.end(),
                       [path](const Value& value) { return value.path == path; });
  };
  for (const char* path :
       {"pe_1.dot.quad_7.lane_3.near", "pe_0.facc_even.acc_win_q1", "pe_1.facc_odd.sig_q5",
        "pe_0.scale_even.exp_o", "decode_a.lane_31.mag", "pe_0.dot.tree.sum_o"}) {
    EXPECT_TRUE(has(path)) << path;
  }
  const auto difference = first_difference(first.pe[1], second.pe[1]);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->path, "dot.quad_2.lane_1.neg");
  EXPECT_FALSE(first_difference(first.pe[0], second.pe[0]).has_value());
}

}  // namespace
}  // namespace mxe::blocks
