// SPDX-License-Identifier: Apache-2.0
// The table of element formats in rtl/mxe_pkg.sv, and results in two bytes, against the reference.
#include <Vformat_top.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/numerics/base/bits.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/formats/float16.h"
#include "model/numerics/formats/format.h"
#include "model/numerics/gemm/accumulate.h"

double sc_time_stamp() { return 0; }

namespace mxe::test {
namespace {

using numerics::ElementFormat;
using numerics::FormatId;
using numerics::FormatKind;

constexpr unsigned kCodes = 8;  // number of values of fmt_i

class FormatRows : public testing::TestWithParam<FormatId> {
 protected:
  void SetUp() override {
    top_.fmt_i = static_cast<uint8_t>(GetParam());
    top_.eval();
  }
  const ElementFormat& format() const { return numerics::element_format(GetParam()); }
  bool is_integer() const { return format().kind == FormatKind::integer; }

  Vformat_top top_;
};

TEST_P(FormatRows, CodeIsMadeOfTheSameParts) {
  EXPECT_EQ(top_.valid_o, 1);
  EXPECT_EQ(top_.is_int_o, is_integer());
  EXPECT_EQ(top_.bits_o, format().bits);
  EXPECT_EQ(top_.exp_bits_o, format().exponent_bits);
  EXPECT_EQ(top_.man_bits_o, format().mantissa_bits);
  EXPECT_EQ(top_.sign_mask_o, format().sign_mask());
  EXPECT_EQ(top_.mag_mask_o, format().sign_mask() - 1);
  EXPECT_EQ(top_.has_nan_o, format().has_nan);
  EXPECT_EQ(top_.has_inf_o, format().has_inf);
}

TEST_P(FormatRows, HasWhatTheDecoderTakesForGranted) {
  EXPECT_EQ(top_.sign_mask_o & ~0xA8, 0);
  EXPECT_EQ(top_.mag_mask_o & 0x07, 0x07);
  if (!is_integer()) {
    EXPECT_GE(top_.man_bits_o, 1);
    EXPECT_LE(top_.man_bits_o, 3);
  }
  if (top_.has_nan_o) {
    EXPECT_EQ(top_.bits_o, 8);
    EXPECT_EQ(top_.special_mask_o & 0x7C, 0x7C);
  }
}

TEST_P(FormatRows, RangeIsTheSame) {
  EXPECT_EQ(top_.max_code_o, format().max_code);
  EXPECT_EQ(top_.emax_o, format().emax);
  // The RTL treats integers as floats whose numbers below 1 are subnormal.
  EXPECT_EQ(-top_.emin_neg_o, format().emin());
  EXPECT_EQ(static_cast<int>(top_.lsb_o) - 64, format().lsb_exponent);
}

TEST_P(FormatRows, CodesThatAreNoNumbersAreFoundByTheirMask) {
  if (!format().has_nan) return;
  for (uint32_t code = 0; code < 1u << format().bits; code++) {
    const bool is_number = std::isfinite(format().decode(code));
    EXPECT_EQ((code & top_.special_mask_o) != top_.special_mask_o, is_number) << code;
  }
}

TEST_P(FormatRows, IntegersHaveAsManyBits) { EXPECT_EQ(top_.mag_bits_o, format().integer_bits()); }

TEST_P(FormatRows, LiesInMemoryAlike) {
  EXPECT_EQ(top_.is4_o, format().stored_bits() == 4);
  EXPECT_EQ(top_.is6_o, format().stored_bits() == 6);
  EXPECT_EQ(top_.word_bytes_o, 32 * format().stored_bits() / 8);
  for (const uint32_t k : {1u, 2u, 3u, 4u, 5u, 31u, 32u, 33u, 1000u, 0xFFFFFFFFu}) {
    top_.k_i = k;
    top_.eval();
    EXPECT_EQ(top_.row_bytes_o,
              (uint64_t{k} * static_cast<unsigned>(format().stored_bits()) + 7) / 8)
        << k;
  }
}

TEST_P(FormatRows, NeedsTheSameTreeInEveryPair) {
  for (const FormatId other : numerics::kAllFormats) {
    top_.other_i = static_cast<uint8_t>(other);
    top_.eval();
    const unsigned needed = numerics::pair_tree_width(GetParam(), other);
    // The RTL's width is exact; the reference returns the smallest legal tree width.
    for (const unsigned tree_w : {42u, 56u, 70u}) {
      EXPECT_EQ(top_.pair_tree_w_o <= tree_w, needed <= tree_w)
          << numerics::element_format(other).name << ", " << tree_w;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FormatRows, testing::ValuesIn(numerics::kAllFormats),
                         [](const testing::TestParamInfo<FormatId>& test) {
                           return numerics::element_format(test.param).name;
                         });

TEST(FormatTable, HasNoOtherRows) {
  Vformat_top top;
  for (unsigned code = 0; code < kCodes; code++) {
    top.fmt_i = static_cast<uint8_t>(code);
    top.eval();
    const bool exists = std::find(numerics::kAllFormats.begin(), numerics::kAllFormats.end(),
                                  static_cast<FormatId>(code)) != numerics::kAllFormats.end();
    EXPECT_EQ(top.valid_o, exists) << code;
  }
}

// All values of the upper 20 bits; the lower ones give ties and their neighbours.
TEST(TwoByteResults, AreRoundedAsByTheReference) {
  Vformat_top top;
  std::size_t wrong = 0;
  const auto check = [&](uint32_t bits) {
    top.result_i = bits;
    top.eval();
    wrong +=
        top.bf16_o != numerics::bfloat16_bits(bits) || top.fp16_o != numerics::float16_bits(bits);
  };
  for (uint32_t upper = 0; upper < 1u << 20; upper++) {
    const uint32_t bits = upper << 12;
    // The engine has one NaN.
    if ((bits & 0x7F800000) == 0x7F800000 && bits << 9 != 0) continue;
    for (const uint32_t lower : {0u, 1u, 0x7FFu, 0x800u, 0x801u, 0xFFFu}) {
      if ((bits & 0x7F800000) == 0x7F800000 && lower != 0) continue;
      check(bits | lower);
    }
  }
  check(kQuietNan);
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace mxe::test
