// SPDX-License-Identifier: Apache-2.0
// Quantizing in mxe_math.c against the numerics, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/quantize/quantize.h"
#include "model/numerics/quantize/tensor.h"
#include "mxe_math.h"

namespace mxe::test {
namespace {

using numerics::FormatId;
using numerics::MxTensor;
using numerics::ScaleRule;

static_assert(MXE_BLOCK == kBlockSize);

constexpr uint8_t kGuard = 0xA5;

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::stoull(text) : otherwise;
}

// Long check: MXE_MATH_BLOCKS=1000000 MXE_MATH_SEED=...
uint64_t blocks_wanted() { return setting("MXE_MATH_BLOCKS", 2000); }
uint32_t seed() { return static_cast<uint32_t>(setting("MXE_MATH_SEED", 20261)); }

class Numbers {
 public:
  Numbers(FormatId format, uint32_t seed) : format_(format), random_(seed) {}

  uint32_t draw() { return static_cast<uint32_t>(random_()); }
  std::size_t below(std::size_t end) { return draw() % end; }

  void fill_block(uint32_t* x, std::size_t count) {
    const uint32_t kind = draw() % 12;
    const int top = static_cast<int>(draw() % 277) - 149;  // log2 of the largest number, roughly
    const uint32_t spread = draw() % 24;
    for (std::size_t i = 0; i < count; i++) x[i] = number(kind, top, spread);
    constexpr uint32_t kSpecials[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF};
    if (draw() % 16 == 0) x[draw() % count] = kSpecials[draw() % 5];
  }

 private:
  uint32_t number(uint32_t kind, int top, uint32_t spread) {
    const uint32_t bits = draw();
    const uint32_t sign = bits & 0x80000000;
    switch (kind) {
      case 0:  // finite bits of all kinds
        return (bits & 0x7F800000) == 0x7F800000 ? bits & 0xBFFFFFFF : bits;
      case 1:
        return sign;
      case 2:
        return bits & 0x807FFFFF;
      case 3:  // zeros, and one number in sixteen another
        return draw() % 16 != 0 ? sign : scaled(bits, top, spread);
      case 4:  // the largest and the smallest
        return sign | (draw() % 2 != 0 ? 0x7F000000 | (bits & 0x7FFFFF) : bits & 0xFFFFFF);
      case 5:
      case 6:
      case 7: {  // at and near the ties between two codes
        const uint32_t code = draw() % (numerics::element_shape(format_).max_code + 1);
        const double low = std::fabs(numerics::decode(format_, static_cast<uint8_t>(code)));
        const double high = std::fabs(numerics::decode(format_, static_cast<uint8_t>(code + 1)));
        const double middle = std::isfinite(high) ? (low + high) / 2 : low;
        const uint32_t at = to_bits(static_cast<float>(std::ldexp(middle, top)));
        if (at >= 0x7F800000) return sign;
        return sign | (at == 0 ? 0 : at - 1 + draw() % 3);
      }
      case 8:  // powers of two and the two numbers above
        return sign | ((to_bits(scaled_float(top, spread)) & 0x7F800000) + draw() % 3);
      default:
        return scaled(bits, top, spread);
    }
  }
  float scaled_float(int top, uint32_t spread) {
    return static_cast<float>(
        std::ldexp(1.0, std::min(top - static_cast<int>(draw() % (spread + 1)), 126)));
  }
  uint32_t scaled(uint32_t bits, int top, uint32_t spread) {
    const double part = (bits & 0xFFFFFF) / static_cast<double>(0x1000000) + 0.5;
    const int down = static_cast<int>(draw() % (spread + 1));
    const uint32_t magnitude = to_bits(static_cast<float>(std::ldexp(part, top - down)));
    return (bits & 0x80000000) | (magnitude >= 0x7F800000 ? 0x7F7FFFFF : magnitude);
  }

  FormatId format_;
  std::mt19937 random_;
};

/// A matrix in the forms of the numerics and of mxe_math.
struct Case {
  std::size_t rows = 0, k = 0;
  std::vector<float> values;   // [rows][k]
  std::vector<uint32_t> fp32;  // in the form of `numbers`
  std::vector<uint16_t> bf16;
  mxe_numbers numbers = {};
};

std::size_t blocks_of(const Case& c) { return c.rows * ((c.k + 31) / 32); }

Case make_case(Numbers& random) {
  Case c;
  c.rows = 1 + random.below(40);
  c.k = random.below(3) == 0 ? 32 * (1 + random.below(4)) : 1 + random.below(140);
  const bool bf16 = random.below(4) == 0;
  const bool transposed = random.below(4) == 0;
  const std::size_t gap = random.below(3);
  c.numbers.bf16 = bf16;
  c.numbers.row_step = transposed ? 1 : c.k + gap;
  c.numbers.step = transposed ? c.rows + gap : 1;
  c.values.resize(c.rows * c.k);
  c.fp32.resize((c.rows + gap) * (c.k + gap));
  c.bf16.resize(c.fp32.size());
  std::vector<uint32_t> row(c.k);
  for (std::size_t r = 0; r < c.rows; r++) {
    for (std::size_t i = 0; i < c.k; i += 32) {
      random.fill_block(&row[i], std::min<std::size_t>(32, c.k - i));
    }
    for (std::size_t i = 0; i < c.k; i++) {
      const std::size_t at = r * c.numbers.row_step + i * c.numbers.step;
      const uint32_t bits = bf16 ? row[i] & 0xFFFF0000 : row[i];
      c.fp32[at] = bits;
      c.bf16[at] = static_cast<uint16_t>(bits >> 16);
      c.values[r * c.k + i] = from_bits(bits);
    }
  }
  c.numbers.data = bf16 ? static_cast<const void*>(c.bf16.data()) : c.fp32.data();
  return c;
}

struct Quantized {
  Quantized(FormatId format, std::size_t rows, std::size_t k, std::size_t gap)
      : row_bytes(numerics::packed_row_bytes(format, k)), row_scales((k + 31) / 32) {
    out.format = static_cast<uint32_t>(format);
    out.stride = row_bytes + gap;
    out.scale_stride = row_scales + gap;
    elements.assign(rows * out.stride, kGuard);
    scales.assign(rows * out.scale_stride, kGuard);
    out.elements = elements.data();
    out.scales = scales.data();
  }

  std::size_t row_bytes, row_scales;
  std::vector<uint8_t> elements, scales;
  mxe_elements out = {};
};

/// Rows `stride` bytes apart with guard bytes between them, as in Quantized.
std::vector<uint8_t> spread(const std::vector<uint8_t>& packed, std::size_t row,
                            std::size_t stride) {
  std::vector<uint8_t> result;
  for (std::size_t at = 0; at < packed.size(); at += row) {
    const auto from = packed.begin() + static_cast<std::ptrdiff_t>(at);
    result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(row));
    result.resize(result.size() + stride - row, kGuard);
  }
  return result;
}

std::vector<uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(to_bits(value));
  return bits;
}

class Math : public testing::TestWithParam<std::tuple<FormatId, ScaleRule>> {};

std::string case_name(const testing::TestParamInfo<Math::ParamType>& info) {
  return std::string(numerics::element_format(std::get<0>(info.param)).name) + "_" +
         numerics::scale_rule_name(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Of, Math,
                         testing::Combine(testing::ValuesIn(numerics::kAllFormats),
                                          testing::ValuesIn(numerics::kAllScaleRules)),
                         case_name);

TEST_P(Math, QuantizesAndDequantizesAsTheNumerics) {
  const auto [format, rule] = GetParam();
  numerics::QuantizerOptions options;
  options.scale_rule = rule;
  Numbers random(format, seed());
  SCOPED_TRACE(testing::Message() << "MXE_MATH_SEED=" << seed());
  for (uint64_t blocks = 0; blocks < blocks_wanted();) {
    const Case c = make_case(random);
    blocks += blocks_of(c);
    const MxTensor golden = numerics::quantize_rows(c.values.data(), c.rows, c.k, format, options);
    Quantized q(format, c.rows, c.k, random.below(3));
    const auto rows = static_cast<uint32_t>(c.rows), k = static_cast<uint32_t>(c.k);
    ASSERT_EQ(mxe_quantize(&c.numbers, rows, k, static_cast<uint32_t>(rule), &q.out), MXE_OK);
    ASSERT_EQ(q.scales, spread(golden.scales, q.row_scales, q.out.scale_stride)) << blocks;
    ASSERT_EQ(q.elements, spread(numerics::pack_rows(golden), q.row_bytes, q.out.stride)) << blocks;

    std::vector<uint32_t> back(c.rows * c.k);
    ASSERT_EQ(mxe_dequantize(&q.out, rows, k, back.data(), c.k), MXE_OK);
    ASSERT_EQ(back, bits_of(numerics::dequantize(golden))) << blocks;
  }
}

class MathFormat : public testing::TestWithParam<FormatId> {};
INSTANTIATE_TEST_SUITE_P(Of, MathFormat, testing::ValuesIn(numerics::kAllFormats),
                         [](const auto& each) {
                           return std::string(numerics::element_format(each.param).name);
                         });

// Includes codes that no quantizer writes: Inf and NaN elements, -128.
TEST_P(MathFormat, DequantizesEveryCodeUnderEveryScale) {
  const FormatId format = GetParam();
  const auto code = static_cast<uint32_t>(format);
  MxTensor all;
  all.format = format;
  all.rows = all.k = 256;
  for (uint32_t scale = 0; scale < 256; scale++) {
    const uint32_t mask = numerics::element_shape(format).code_mask();
    for (uint32_t i = 0; i < 256; i++) all.codes.push_back(static_cast<uint8_t>(i & mask));
    all.scales.insert(all.scales.end(), 8, static_cast<uint8_t>(scale));
  }
  std::vector<uint8_t> packed = numerics::pack_rows(all);
  const uint32_t row = mxe_row_bytes(code, 256);
  EXPECT_EQ(row, numerics::packed_row_bytes(format, 256));
  const mxe_elements q = {code, packed.data(), all.scales.data(), row, 8};
  std::vector<uint32_t> back(256 * 256);
  ASSERT_EQ(mxe_dequantize(&q, 256, 256, back.data(), 256), MXE_OK);
  EXPECT_EQ(back, bits_of(numerics::dequantize(all)));
}

TEST_P(MathFormat, PacksAndUnpacksRowsOfEveryLength) {
  const FormatId format = GetParam();
  const auto code = static_cast<uint32_t>(format);
  std::mt19937 random(7);
  for (uint32_t k = 1; k <= 70; k++) {
    MxTensor row;
    row.format = format;
    row.rows = 1;
    row.k = k;
    row.scales.resize(row.scale_columns());
    std::vector<uint8_t> dirty(k);  // unused bits are random
    for (uint8_t& byte : dirty) byte = static_cast<uint8_t>(random());
    for (const uint8_t byte : dirty) {
      row.codes.push_back(byte & static_cast<uint8_t>(numerics::element_shape(format).code_mask()));
    }
    EXPECT_EQ(mxe_row_scales(k), row.scale_columns());
    std::vector<uint8_t> packed(mxe_row_bytes(code, k) + 1, kGuard);
    ASSERT_EQ(mxe_pack(code, dirty.data(), k, packed.data()), MXE_OK);
    EXPECT_EQ(packed.back(), kGuard);
    packed.pop_back();
    EXPECT_EQ(packed, numerics::pack_rows(row)) << k;
    std::vector<uint8_t> codes(k + 1, kGuard);
    ASSERT_EQ(mxe_unpack(code, packed.data(), k, codes.data()), MXE_OK);
    EXPECT_EQ(codes.back(), kGuard);
    codes.pop_back();
    EXPECT_EQ(codes, row.codes) << k;
  }
}

TEST(MathSizes, OfTheLongestRow) {
  EXPECT_EQ(mxe_row_bytes(MXE_FORMAT_MXFP4_E2M1, UINT32_MAX), 0x80000000u);
  EXPECT_EQ(mxe_row_bytes(MXE_FORMAT_MXFP6_E2M3, UINT32_MAX), 0xC0000000u);
  EXPECT_EQ(mxe_row_bytes(MXE_FORMAT_MXINT8, UINT32_MAX), UINT32_MAX);
  EXPECT_EQ(mxe_row_scales(UINT32_MAX), 0x08000000u);
  EXPECT_EQ(mxe_row_bytes(MXE_FORMAT_COUNT, 32), 0u);
}

TEST(MathErrors, AreAnsweredAndNothingIsWritten) {
  float x[4] = {1, 2, 3, 4};
  uint8_t elements[4] = {kGuard, kGuard, kGuard, kGuard}, scales[1] = {kGuard};
  const mxe_numbers numbers = {x, false, 4, 1};
  const mxe_numbers none = {nullptr, false, 4, 1};
  const mxe_elements out = {MXE_FORMAT_MXINT8, elements, scales, 4, 1};
  mxe_elements unknown = out, no_elements = out, no_scales = out;
  unknown.format = MXE_FORMAT_COUNT;
  no_elements.elements = nullptr;
  no_scales.scales = nullptr;
  EXPECT_EQ(mxe_quantize(nullptr, 1, 4, 0, &out), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_quantize(&none, 1, 4, 0, &out), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_quantize(&numbers, 1, 4, 0, nullptr), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_quantize(&numbers, 1, 4, 0, &no_elements), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_quantize(&numbers, 1, 4, 0, &no_scales), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_quantize(&numbers, 1, 4, 4, &out), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_quantize(&numbers, 1, 4, 0, &unknown), MXE_ERR_FORMAT);
  EXPECT_EQ(mxe_dequantize(nullptr, 1, 4, x, 4), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_dequantize(&out, 1, 4, nullptr, 4), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_dequantize(&unknown, 1, 4, x, 4), MXE_ERR_FORMAT);
  EXPECT_EQ(mxe_pack(MXE_FORMAT_COUNT, elements, 1, scales), MXE_ERR_FORMAT);
  EXPECT_EQ(mxe_pack(0, nullptr, 1, scales), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_pack(0, elements, 1, nullptr), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_unpack(MXE_FORMAT_COUNT, elements, 1, scales), MXE_ERR_FORMAT);
  EXPECT_EQ(mxe_unpack(0, nullptr, 1, scales), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_unpack(0, elements, 1, nullptr), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_quantize(&numbers, 0, 4, 0, &out), MXE_OK);  // no rows: nothing to do
  for (const uint8_t byte : elements) EXPECT_EQ(byte, kGuard);
  EXPECT_EQ(scales[0], kGuard);
}

}  // namespace
}  // namespace mxe::test
