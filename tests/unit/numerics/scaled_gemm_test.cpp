// SPDX-License-Identifier: Apache-2.0
// Operands with other scales than E8M0 of blocks of 32: layouts, steps, ALPHA. mx_pair_check
// compares random products with an oracle.
#include <gtest/gtest.h>

#include <random>

#include "model/numerics/gemm/gemm.h"
#include "model/numerics/gemm/gemm_definition.h"
#include "tests/unit/numerics/gemm_cases.h"

namespace mxe::numerics {
namespace {

constexpr ScaledFormat kNvfp4 = {FormatId::mxfp4_e2m1, kNvfp4Scales};

MxTensor random_tensor(const ScaledFormat& format, std::size_t rows, std::size_t k,
                       std::mt19937& random) {
  MxTensor t{format.element, rows, k, {}, {}, format.scales, {}};
  const ElementShape& shape = element_shape(format.element);
  for (std::size_t i = 0; i < rows * k; i++) {
    const uint32_t sign = random() % 2 == 0 ? shape.sign_mask() : 0;
    t.codes.push_back(static_cast<uint8_t>(random() % shape.max_code | sign));
  }
  const bool is_e8m0 = format.scales.kind == ScaleKind::e8m0;
  for (std::size_t i = 0; i < rows * t.scale_columns(); i++) {
    t.scales.push_back(static_cast<uint8_t>(is_e8m0 ? 120 + random() % 16 : random() % 0x7F));
  }
  return t;
}

// One row of E2M1 elements 1 (code 2) with the scale codes.
MxTensor ones(std::vector<uint8_t> scales, std::size_t k) {
  return {FormatId::mxfp4_e2m1, 1, k, std::vector<uint8_t>(k, 2), std::move(scales),
          kNvfp4Scales,         {}};
}

double value(ScaleKind kind, uint8_t code) {
  const ScaleNumber number = scale_number(kind, code);
  return number.is_nan ? -1 : std::ldexp(number.significand, number.exponent);
}

std::string error_of(const ScaledFormat& format) {
  try {
    check(format);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Scales, Values) {
  EXPECT_EQ(value(ScaleKind::ue4m3, 0x00), 0);
  EXPECT_EQ(value(ScaleKind::ue4m3, 0x01), std::ldexp(1, -9));
  EXPECT_EQ(value(ScaleKind::ue4m3, 0x07), std::ldexp(7, -9));
  EXPECT_EQ(value(ScaleKind::ue4m3, 0x08), std::ldexp(1, -6));
  EXPECT_EQ(value(ScaleKind::ue4m3, 0x39), 1.125);
  EXPECT_EQ(value(ScaleKind::ue4m3, 0x7E), 448);
  for (unsigned code = 0x7F; code < 256; code++) {
    EXPECT_TRUE(scale_number(ScaleKind::ue4m3, static_cast<uint8_t>(code)).is_nan) << code;
  }
  EXPECT_EQ(value(ScaleKind::ue5m3, 0x01), std::ldexp(1, -17));
  EXPECT_EQ(value(ScaleKind::ue5m3, 0x80), 2);
  EXPECT_EQ(value(ScaleKind::ue5m3, 0xFE), 114688);
  EXPECT_TRUE(scale_number(ScaleKind::ue5m3, 0xFF).is_nan);
  EXPECT_EQ(value(ScaleKind::e8m0, 0x00), std::ldexp(1, -127));
  EXPECT_TRUE(scale_number(ScaleKind::e8m0, 0xFF).is_nan);
  EXPECT_EQ(value(ScaleKind::none, 0), 1);
}

TEST(Scales, LayoutsOfProducts) {
  for (const unsigned block : {16u, 32u, 64u, 128u}) {
    EXPECT_EQ(error_of({FormatId::mxint8, {ScaleKind::e8m0, block}}), "");
  }
  EXPECT_EQ(error_of(kNvfp4), "");
  EXPECT_EQ(error_of({FormatId::mxint8, {ScaleKind::none, 0}}), "");
  EXPECT_EQ(error_of({FormatId::mxint8, {ScaleKind::e8m0, 48}}),
            "blocks of 48 elements (allowed: 16, 32, 64, 128)");
  const std::string needs = "scales e4m3 and e5m3 need mxfp4_e2m1 in blocks of 16, not ";
  EXPECT_EQ(error_of({FormatId::mxfp8_e4m3, kNvfp4Scales}), needs + "mxfp8_e4m3 in blocks of 16");
  EXPECT_EQ(error_of({FormatId::mxfp4_e2m1, {ScaleKind::ue5m3, 32}}),
            needs + "mxfp4_e2m1 in blocks of 32");
}

TEST(Scales, WrongCounts) {
  std::mt19937 random(1);
  MxTensor a = random_tensor(kNvfp4, 3, 70, random);
  EXPECT_EQ(a.scales.size(), 15u);
  a.scales.pop_back();
  EXPECT_THROW(check(a), Error);
  a.scales.push_back(0);
  a.tensor_scales = {1, 2};
  EXPECT_THROW(check(a), Error);
}

TEST(PairRule, StepsChainsAndBits) {
  const ScaledFormat e2m1 = {FormatId::mxfp4_e2m1, {}};
  const auto expect = [](const ScaledFormat& a, const ScaledFormat& b, bool dual,
                         PairRule expected) {
    for (const PairRule& rule : {pair_rule(a, b, dual), pair_rule(b, a, dual)}) {
      EXPECT_EQ(rule.step, expected.step);
      EXPECT_EQ(rule.chains, expected.chains);
      EXPECT_EQ(rule.part, expected.part);
      EXPECT_EQ(rule.sum_bits, expected.sum_bits);
    }
  };
  expect(kNvfp4, kNvfp4, true, {64, 1, 16, 50});
  expect(kNvfp4, kNvfp4, false, {32, 1, 16, 49});
  const ScaledFormat ue5m3 = {FormatId::mxfp4_e2m1, {ScaleKind::ue5m3, 16}};
  expect(ue5m3, ue5m3, true, {64, 1, 16, 82});
  constexpr unsigned kBits[] = {31, 31, 34, 37, 46, 60, 35};  // of NVFP4 times each FormatId
  for (const FormatId id : kAllFormats) {
    const unsigned bits = kBits[static_cast<std::size_t>(id)];
    expect(kNvfp4, {id, {}}, true, {32, 1, 16, bits});
    expect(kNvfp4, {id, {ScaleKind::e8m0, 128}}, false, {32, 1, 16, bits});
    expect(kNvfp4, {id, {ScaleKind::none, 32}}, false, {32, 1, 16, bits});
    for (const FormatId other : kAllFormats) {
      const unsigned chains = is_four_bit(id) && is_four_bit(other) ? 2 : 1;
      expect({id, {}}, {other, {ScaleKind::e8m0, 64}}, true,
             {32, chains, 32, pair_tree_width(id, other)});
    }
  }
  const ScaledFormat short_blocks = {FormatId::mxfp4_e2m1, {ScaleKind::e8m0, 16}};
  expect(short_blocks, e2m1, true, {16, 1, 16, 13});
  expect(short_blocks, short_blocks, true, {16, 1, 16, 13});
  expect(short_blocks, kNvfp4, true, {16, 1, 16, 30});
}

// 2^24 + S in one step; the halves of S alone are lost.
TEST(Steps, OneRoundingPerStep) {
  const MxTensor a = ones({0x38, 0x38, 0x38, 0x38}, 64);         // 64 products of
  const MxTensor b = ones({0x01, 0x01, 0x01, 0x01}, 64);         // 2^-9
  const float start = std::ldexp(1.0f, 20);                      // last bit 2^-3
  EXPECT_EQ(gemm_block(a, b, &start, true)[0], start + 0.125f);  // S = 2^-3
  EXPECT_EQ(gemm_block(a, b, &start, false)[0], start);          // 2^-4 twice: ties to even
}

// S is exact: the smallest product survives between the largest ones.
TEST(Steps, SumIsExact) {
  MxTensor a = ones({0x7E, 0x7E, 0x01, 0x7E}, 64);
  MxTensor b = ones({0x7E, 0x7E, 0x01, 0x38}, 64);
  std::fill(b.codes.begin() + 16, b.codes.begin() + 32, 10);  // -1: blocks 0 and 1 cancel
  std::fill(b.codes.begin() + 33, b.codes.end(), 0);
  EXPECT_EQ(gemm_block(a, b, nullptr, true)[0], std::ldexp(1.0f, -18));
}

TEST(Steps, NanAndZeroScales) {
  const MxTensor a = ones({0x38, 0x7F}, 20);
  EXPECT_EQ(to_bits(gemm_block(a, ones({0x38, 0x38}, 20), nullptr, true)[0]), kQuietNan);
  MxTensor inf{FormatId::mxfp8_e5m2, 1, 16, std::vector<uint8_t>(16, 0x7C), {127}, {}, {}};
  EXPECT_EQ(gemm_block(ones({0x01}, 16), inf, nullptr, true)[0], INFINITY);
  EXPECT_EQ(to_bits(gemm_block(ones({0x00}, 16), inf, nullptr, true)[0]), kQuietNan);  // 0 * Inf
}

// A block's scale of 64 or 128 elements repeats for each step of 32.
TEST(Blocks, LongBlocksRepeatTheirScale) {
  std::mt19937 random(2);
  for (const std::size_t k : std::initializer_list<std::size_t>{1152, 1056, 1000, 40, 129}) {
    for (const unsigned block : {64u, 128u}) {
      for (const FormatId id : {FormatId::mxfp4_e2m1, FormatId::mxfp8_e5m2}) {
        const MxTensor a = random_tensor({id, {ScaleKind::e8m0, block}}, 3, k, random);
        const MxTensor b = random_tensor({id, {}}, 2, k, random);
        MxTensor same = a;
        same.layout = {};
        same.scales.clear();
        for (std::size_t i = 0; i < 3 * same.scale_columns(); i++) {
          const std::size_t row = i / same.scale_columns(), element = i % same.scale_columns() * 32;
          same.scales.push_back(a.scales[row * a.scale_columns() + element / block]);
        }
        for (const bool dual : {false, true}) {
          EXPECT_EQ(gemm_block(a, b, nullptr, dual), gemm_block(same, b, nullptr, dual));
          EXPECT_EQ(gemm_block(b, a, nullptr, dual), gemm_block(b, same, nullptr, dual));
        }
        EXPECT_EQ(dequantize(a), dequantize(same));
      }
    }
  }
}

TEST(Blocks, NoScalesAreOnes) {
  std::mt19937 random(3);
  MxTensor a = random_tensor({FormatId::mxint8, {ScaleKind::none, 32}}, 3, 70, random);
  EXPECT_TRUE(a.scales.empty());
  const MxTensor b = random_tensor({FormatId::mxfp8_e4m3, {}}, 2, 70, random);
  MxTensor same = a;
  same.layout = {};
  same.scales.assign(9, 127);
  EXPECT_EQ(gemm_block(a, b, nullptr, true), gemm_block(same, b, nullptr, true));
  EXPECT_EQ(dequantize(a), dequantize(same));
}

// The definition and today's fast paths agree on pairs with blocks of 32.
TEST(Definition, EqualsThePathsOfBlocksOf32) {
  EXPECT_EQ(gemm_mismatches(4,
                            [](const MxTensor& a, const MxTensor& b, const float* bias, bool dual) {
                              std::vector<float> out(a.rows * b.rows);
                              gemm_definition_into(a, b, bias, dual, 0, a.rows, out.data());
                              return out;
                            }),
            0u);
}

TEST(Alpha, ProductThenSum) {
  const float c = 1;
  EXPECT_EQ(apply_alpha(0.1f, 3, &c), 0.1f * 3 + 1);
  EXPECT_EQ(to_bits(apply_alpha(-2, 0, nullptr)), 0u);
  EXPECT_EQ(to_bits(apply_alpha(0, -2, nullptr)), 0u);
  EXPECT_EQ(to_bits(apply_alpha(0x1p-100f, -0x1p-100f, nullptr)), 0x80000000u);  // underflow
  const float negative_zero = -0.0f;
  EXPECT_EQ(to_bits(apply_alpha(0x1p-100f, -0x1p-100f, &negative_zero)), 0u);
  EXPECT_EQ(to_bits(apply_alpha(1, -1, &c)), 0u);
  EXPECT_EQ(apply_alpha(1, 0x1p-149f, nullptr), 0x1p-149f);
  EXPECT_EQ(to_bits(apply_alpha(0, INFINITY, nullptr)), kQuietNan);
  EXPECT_EQ(to_bits(apply_alpha(-NAN, 1, &c)), kQuietNan);
}

// The bias enters after the sum, and the factor is the rounded product of the tensor scales.
TEST(Alpha, OfTensorsRowsAndOptions) {
  MxTensor a = ones({0x38}, 16);  // sum 16
  MxTensor b = ones({0x38}, 16);
  a.tensor_scales = {0.1f};
  b.tensor_scales = {0.3f};
  const float c = 1e8f;
  const float alpha = 0.1f * 0.3f;
  EXPECT_EQ(gemm(a, b, &c)[0], alpha * 16 + c);
  GemmOptions options;
  options.alpha = 0.5f;
  EXPECT_EQ(gemm(a, b, nullptr, options)[0], 8);
  b.tensor_scales.clear();
  EXPECT_EQ(gemm(a, b, nullptr)[0], 0.1f * 16);
  MxTensor rows = a;
  rows.rows = 2;
  rows.codes.insert(rows.codes.end(), a.codes.begin(), a.codes.end());
  rows.scales = {0x38, 0x40};
  rows.tensor_scales = {0.1f, 3};
  EXPECT_EQ(gemm(rows, b, nullptr), (std::vector<float>{0.1f * 16, 96}));
  EXPECT_EQ(gemm(slice_rows(rows, 1, 1), b, nullptr), std::vector<float>{96});
  a.k = 0;
  a.codes.clear();
  a.scales.clear();
  EXPECT_EQ(gemm(a, MxTensor{FormatId::mxfp4_e2m1, 1, 0, {}, {}, {}, {}}, &c)[0], c);
}

TEST(Policies, OtherSumsOfNvfp4) {
  std::mt19937 random(6);
  const MxTensor a = random_tensor(kNvfp4, 2, 60, random);
  const MxTensor b = random_tensor({FormatId::mxfp8_e4m3, {}}, 2, 60, random);
  GemmOptions options;
  options.accumulate = Accumulate::exact;
  const std::vector<float> exact = gemm(a, b, nullptr, options);
  options.accumulate = Accumulate::sequential;
  const std::vector<float> sequential = gemm(a, b, nullptr, options);
  const std::vector<float> x = dequantize(a), y = dequantize(b);
  for (std::size_t i = 0; i < 4; i++) {
    double sum = 0;
    float steps = 0;
    for (std::size_t k = 0; k < 60; k++) {
      const float left = x[i / 2 * 60 + k], right = y[i % 2 * 60 + k];
      sum += static_cast<double>(left) * right;
      steps += left * right;
    }
    EXPECT_EQ(exact[i], static_cast<float>(sum));
    EXPECT_EQ(sequential[i], steps);
  }
  options.accumulate = Accumulate::nvidia_blackwell;
  EXPECT_THROW(gemm(a, b, nullptr, options), Error);
}

}  // namespace
}  // namespace mxe::numerics
