// SPDX-License-Identifier: Apache-2.0
// The recorded steps of NVFP4 times NVFP4 (make_nvfp4_dots.py).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "model/numerics/gemm/gemm.h"
#include "model/numerics/gemm/gemm_definition.h"

namespace mxe::numerics {
namespace {

// The `count` lowest numbers of a hexadecimal text, `digits` each.
std::vector<uint8_t> numbers(const std::string& text, std::size_t count, std::size_t digits) {
  std::vector<uint8_t> result;
  for (std::size_t i = 1; i <= count; i++) {
    const std::string number = text.substr(text.size() - i * digits, digits);
    result.push_back(static_cast<uint8_t>(std::stoul(number, nullptr, 16)));
  }
  return result;
}

struct Dot {
  MxTensor a, b;
  bool is_nan = false;
  int64_t sum = 0;  // in units of 2^-20
  uint32_t acc = 0, result = 0;
};

Dot read_dot(const std::string& line) {
  std::istringstream in(line);
  Dot dot;
  std::size_t count = 0;
  std::string codes_a, scales_a, codes_b, scales_b;
  uint64_t sum = 0;
  in >> std::hex >> count >> codes_a >> scales_a >> codes_b >> scales_b >> dot.is_nan >> sum >>
      dot.acc >> dot.result;
  EXPECT_FALSE(in.fail()) << line;
  const auto tensor = [count](const std::string& codes, const std::string& scales) {
    return MxTensor{FormatId::mxfp4_e2m1,
                    1,
                    count,
                    numbers(codes, count, 1),
                    numbers(scales, (count + 15) / 16, 2),
                    kNvfp4Scales,
                    {}};
  };
  dot.a = tensor(codes_a, scales_a);
  dot.b = tensor(codes_b, scales_b);
  dot.sum = static_cast<int64_t>(sum);
  return dot;
}

TEST(Nvfp4Dots, Recorded) {
  std::ifstream file(MXE_CONFORMANCE_DATA "/nvfp4_dots.txt");
  std::size_t dots = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    SCOPED_TRACE(line);
    const Dot dot = read_dot(line);
    Int128 sum = 0;
    bool is_nan = false;
    for (std::size_t k = 0; k < dot.a.k; k += 16) {
      const BlockDot part = part_dot(dot.a, 0, dot.b, 0, k, std::min<std::size_t>(16, dot.a.k - k));
      EXPECT_GE(part.exponent, -20);
      sum += part.sum * (Int128{1} << (part.exponent + 20));
      is_nan = is_nan || part.special == BlockSpecial::nan;
    }
    EXPECT_EQ(is_nan, dot.is_nan);
    EXPECT_EQ(is_nan ? 0 : static_cast<int64_t>(sum), dot.sum);
    const float start = from_bits(dot.acc);
    for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
      GemmOptions options;
      options.simd = level;
      if (runs_simd_level(level)) {
        EXPECT_EQ(to_bits(gemm(dot.a, dot.b, &start, options).at(0)), dot.result);
      }
    }
    if (dot.a.k <= 32) {  // one step without FP4_DUAL, too
      EXPECT_EQ(to_bits(gemm_block(dot.a, dot.b, &start, false).at(0)), dot.result);
    }
    dots++;
  }
  EXPECT_EQ(dots, 100u);
}

// Lines of a file without comments.
std::vector<std::string> lines_of(const std::string& name) {
  std::ifstream file(MXE_CONFORMANCE_DATA "/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line[0] != '#') lines.push_back(line);
  }
  return lines;
}

// make_mxf4nvf4_results.py, which agrees with MMA-Sim c785138.
TEST(Nvfp4Dots, NvidiaBlackwell) {
  const std::vector<std::string> dots = lines_of("nvfp4_dots.txt");
  const std::vector<std::string> results = lines_of("mxf4nvf4_results.txt");
  ASSERT_EQ(dots.size(), 100u);
  ASSERT_EQ(results.size(), dots.size());
  GemmOptions options;
  options.accumulate = Accumulate::nvidia_blackwell;
  std::size_t differ = 0;
  for (std::size_t i = 0; i < dots.size(); i++) {
    SCOPED_TRACE(dots[i]);
    const Dot dot = read_dot(dots[i]);
    const float start = from_bits(dot.acc);
    const uint32_t expected = static_cast<uint32_t>(std::stoul(results[i], nullptr, 16));
    EXPECT_EQ(to_bits(gemm(dot.a, dot.b, &start, options).at(0)), expected);
    differ += expected != dot.result ? 1 : 0;
  }
  EXPECT_GT(differ, 20u);  // the data distinguish the rules
}

// Two steps of 64, and the operands that the rule has.
TEST(Nvfp4Dots, NvidiaBlackwellStepsAndOperands) {
  GemmOptions options;
  options.accumulate = Accumulate::nvidia_blackwell;
  const auto ones = [](std::size_t k, std::vector<uint8_t> scales, ScaleLayout layout) {
    return MxTensor{FormatId::mxfp4_e2m1, 1,      k, std::vector<uint8_t>(k, 2),
                    std::move(scales),    layout, {}};
  };
  // 64 products 1 in the first step, 16 x 2^-9 in the second.
  const MxTensor a = ones(80, {0x38, 0x38, 0x38, 0x38, 0x01}, kNvfp4Scales);
  const MxTensor b = ones(80, {0x38, 0x38, 0x38, 0x38, 0x38}, kNvfp4Scales);
  EXPECT_EQ(gemm(a, b, nullptr, options), std::vector<float>{64.03125f});
  const ScaleLayout e8m0 = {ScaleKind::e8m0, 16};
  const MxTensor c = ones(16, {127}, e8m0), d = ones(16, {102}, e8m0);
  EXPECT_EQ(gemm(c, d, nullptr, options), std::vector<float>{0x1p-21f});
  const float start = 1;  // 2^-24 is half of its last bit: rounded toward zero
  EXPECT_EQ(gemm(c, ones(16, {99}, e8m0), &start, options), std::vector<float>{1});
  EXPECT_EQ(gemm(c, d, &start, options), std::vector<float>{1 + 0x1p-21f});
  const MxTensor nvfp4 = ones(16, {0x38}, kNvfp4Scales);
  EXPECT_THROW(gemm(c, nvfp4, nullptr, options), Error);
  EXPECT_THROW(gemm(nvfp4, ones(16, {127}, {}), nullptr, options), Error);
  EXPECT_THROW(gemm(ones(16, {127}, {ScaleKind::e8m0, 64}), c, nullptr, options), Error);
}

}  // namespace
}  // namespace mxe::numerics
