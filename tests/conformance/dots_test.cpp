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

}  // namespace
}  // namespace mxe::numerics
