// SPDX-License-Identifier: Apache-2.0
// The accumulation policies for studies against recorded dot products, and the Ascend samples.
#include <gtest/gtest.h>

#include "model/numerics/base/bits.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/ascend.h"
#include "tests/conformance/records.h"

namespace mxe::numerics {
namespace {

struct Dots {
  MxTensor a, b;  // one dot product per row
  std::vector<float> exact, sequential, blackwell;
};

Dots read_dots(Records& records) {
  constexpr std::size_t kDepth = 128;
  const std::vector<uint32_t> head = records.array<uint32_t>(4);
  const std::size_t count = head[2];
  Dots dots;
  for (auto [tensor, format] : {std::pair(&dots.a, head[0]), std::pair(&dots.b, head[1])}) {
    tensor->format = static_cast<FormatId>(format);
    tensor->rows = count;
    tensor->k = kDepth;
    tensor->codes = records.array<uint8_t>(count * kDepth);
  }
  dots.a.scales = records.array<uint8_t>(count * kDepth / kBlockSize);
  dots.b.scales = records.array<uint8_t>(count * kDepth / kBlockSize);
  dots.exact = records.array<float>(count);
  dots.sequential = records.array<float>(count);
  if (head[3] != 0) dots.blackwell = records.array<float>(count);
  return dots;
}

// Multiplies row i of A by row i of B, as 1 x 1 products.
std::size_t mismatches(const Dots& dots, Accumulate policy, const std::vector<float>& expected) {
  GemmOptions options;
  options.accumulate = policy;
  const std::vector<float> all = gemm(dots.a, dots.b, nullptr, options);
  std::size_t count = 0;
  for (std::size_t i = 0; i < expected.size(); i++) {
    count += to_bits(all[i * dots.b.rows + i]) != to_bits(expected[i]);
  }
  return count;
}

TEST(Policies, RecordedDotProducts) {
  Records records("dot.npy");
  std::size_t pairs = 0;
  std::size_t blackwell = 0;
  std::size_t crossed = 0;
  while (!records.done()) {
    const Dots dots = read_dots(records);
    SCOPED_TRACE(element_format(dots.a.format).name + " x " + element_format(dots.b.format).name);
    EXPECT_EQ(mismatches(dots, Accumulate::exact, dots.exact), 0u);
    EXPECT_EQ(mismatches(dots, Accumulate::sequential, dots.sequential), 0u);
    if (!dots.blackwell.empty()) {
      EXPECT_EQ(mismatches(dots, Accumulate::nvidia_blackwell, dots.blackwell), 0u);
      blackwell++;
      crossed += mismatches(dots, Accumulate::block, dots.blackwell);
    }
    crossed += mismatches(dots, Accumulate::sequential, dots.exact);
    pairs++;
  }
  EXPECT_GE(pairs, 9u);
  EXPECT_GE(blackwell, 3u);
  EXPECT_GT(crossed, 100u);  // the data distinguish the policies
}

TEST(Ascend, SampleFilesByteForByte) {
  Records records("ascend.npy");
  const char* names[] = {"a_8", "b_8", "a_scale", "b_scale", "expected_data"};
  std::size_t cases = 0;
  while (!records.done()) {
    const std::vector<uint32_t> head = records.array<uint32_t>(6);
    AscendProblem problem;
    problem.m = head[1];
    problem.n = head[2];
    problem.k = head[3];
    problem.trans_a = head[4] != 0;
    problem.trans_b = head[5] != 0;
    const std::vector<float> a = records.array<float>(problem.m * problem.k);
    const std::vector<float> b = records.array<float>(problem.k * problem.n);
    const std::string format = element_format(static_cast<FormatId>(head[0])).name;
    SCOPED_TRACE(::testing::Message() << format << " " << problem.m << "x" << problem.n << "x"
                                      << problem.k << " " << problem.trans_a << problem.trans_b);
    const AscendFiles files = ascend_files(a.data(), b.data(), problem, format);
    const std::vector<uint8_t>* ours[] = {&files.a_8, &files.b_8, &files.a_scale, &files.b_scale,
                                          &files.expected_data};
    for (std::size_t i = 0; i < 5; i++) {
      EXPECT_EQ(*ours[i], records.array<uint8_t>(records.word())) << names[i] << ".bin";
    }
    problem.trans_b = !problem.trans_b;
    EXPECT_NE(ascend_files(a.data(), b.data(), problem, format).b_8, files.b_8);
    cases++;
  }
  EXPECT_GE(cases, 24u);
}

}  // namespace
}  // namespace mxe::numerics
