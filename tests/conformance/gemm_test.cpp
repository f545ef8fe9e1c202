// SPDX-License-Identifier: Apache-2.0
// The golden GEMM against recorded cases of 49 format pairs; the cases notice planted faults.
#include "model/numerics/gemm/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/numerics/gemm/accumulate.h"
#include "tests/conformance/records.h"

namespace mxe::numerics {
namespace {

struct GemmCase {
  MxTensor a;
  MxTensor b;
  std::vector<float> bias;    // empty: none
  std::vector<float> out;     // 4-bit pairs: two chains
  std::vector<float> single;  // one chain; empty unless both formats have 4 bits
};

GemmCase read_case(Records& records) {
  const std::vector<uint32_t> head = records.array<uint32_t>(7);
  const std::size_t results = std::size_t{head[2]} * head[3];
  GemmCase result;
  result.a = records.tensor(head[0], head[2], head[4]);
  result.b = records.tensor(head[1], head[3], head[4]);
  if (head[5] != 0) result.bias = records.array<float>(results);
  result.out = records.array<float>(results);
  if (head[6] != 0) result.single = records.array<float>(results);
  return result;
}

using Gemm =
    std::function<std::vector<float>(const MxTensor&, const MxTensor&, const float*, bool)>;

std::size_t differences(const std::vector<float>& x, const std::vector<float>& y) {
  std::size_t count = x.size() == y.size() ? 0 : 1;
  for (std::size_t i = 0; i < x.size() && i < y.size(); i++)
    count += to_bits(x[i]) != to_bits(y[i]);
  return count;
}

struct Tally {
  std::size_t pairs = 0;
  std::size_t cases = 0;
  std::size_t results = 0;
  std::size_t mismatches = 0;
};

Tally run_all(const Gemm& gemm) {
  Tally tally;
  std::set<std::pair<FormatId, FormatId>> pairs;
  Records records("gemm_block.npy");
  while (!records.done()) {
    const GemmCase c = read_case(records);
    const float* bias = c.bias.empty() ? nullptr : c.bias.data();
    tally.mismatches += differences(gemm(c.a, c.b, bias, true), c.out);
    if (!c.single.empty()) tally.mismatches += differences(gemm(c.a, c.b, bias, false), c.single);
    tally.results += c.out.size() + c.single.size();
    tally.cases++;
    pairs.emplace(c.a.format, c.b.format);
  }
  tally.pairs = pairs.size();
  return tally;
}

using Step = std::function<uint32_t(uint32_t, const BlockDot&)>;

std::vector<float> reference_gemm(const MxTensor& a, const MxTensor& b, const float* bias,
                                  bool dual, const Step& step) {
  const std::size_t chains = dual && is_four_bit(a.format) && is_four_bit(b.format) ? 2 : 1;
  std::vector<float> out;
  for (std::size_t i = 0; i < a.rows; i++) {
    for (std::size_t j = 0; j < b.rows; j++) {
      uint32_t acc[2] = {bias ? to_bits(bias[i * b.rows + j]) : 0, 0};
      for (std::size_t k = 0; k < a.k; k += kBlockSize) {
        const std::size_t block = k / kBlockSize;
        const BlockDot dot =
            block_dot(a.format, &a.codes[i * a.k + k], a.scales[i * a.scale_columns() + block],
                      b.format, &b.codes[j * b.k + k], b.scales[j * b.scale_columns() + block],
                      std::min<std::size_t>(kBlockSize, a.k - k));
        acc[block % chains] = step(acc[block % chains], dot);
      }
      out.push_back(from_bits(chains == 2 ? merge_chains(acc[0], acc[1]) : acc[0]));
    }
  }
  return out;
}

std::size_t mismatches_with(const Step& step) {
  return run_all([&](const MxTensor& a, const MxTensor& b, const float* bias, bool dual) {
           return reference_gemm(a, b, bias, dual, step);
         })
      .mismatches;
}

TEST(GemmConformance, AllPairsBitExact) {
  const Tally tally = run_all(gemm_block);
  EXPECT_EQ(tally.pairs, 49u);
  EXPECT_GE(tally.cases, 190u);
  EXPECT_GT(tally.results, 3000u);
  EXPECT_EQ(tally.mismatches, 0u);
}

TEST(GemmConformance, SingleStepsBitExact) {
  EXPECT_EQ(mismatches_with([](uint32_t acc, const BlockDot& dot) { return accumulate(acc, dot); }),
            0u);
}

TEST(GemmConformance, NoticesRoundingTwice) {
  EXPECT_GT(mismatches_with([](uint32_t acc, const BlockDot& dot) {
              if (dot.special != BlockSpecial::none) return accumulate(acc, dot);
              const uint32_t rounded = round_to_float(dot.sum, dot.exponent);
              return merge_chains(acc, rounded);
            }),
            0u);
}

TEST(GemmConformance, NoticesDroppedSticky) {
  EXPECT_GT(mismatches_with([](uint32_t acc, const BlockDot& dot) {
              if (dot.special != BlockSpecial::none || !is_finite_bits(acc)) {
                return accumulate(acc, dot);
              }
              // Drops bits of the sum more than two places below the accumulator's last bit.
              const int drop = float_parts(acc).exponent - 2 - dot.exponent;
              BlockDot cut = dot;
              if (drop > 0 && drop < 100) cut.sum = (cut.sum >> drop) * (Int128{1} << drop);
              return accumulate(acc, cut);
            }),
            0u);
}

TEST(GemmConformance, NoticesTiesAwayFromZero) {
  EXPECT_GT(mismatches_with([](uint32_t acc, const BlockDot& dot) {
              BlockDot nudged = dot;  // raises magnitudes slightly, so that ties round away
              if (dot.special == BlockSpecial::none && dot.exponent > -900) {
                nudged.sum = dot.sum * 4 + (dot.sum > 0 ? 1 : dot.sum < 0 ? -1 : 0);
                nudged.exponent -= 2;
              }
              return accumulate(acc, nudged);
            }),
            0u);
}

TEST(GemmConformance, NoticesFlushedSubnormals) {
  EXPECT_GT(mismatches_with([](uint32_t acc, const BlockDot& dot) {
              const uint32_t result = accumulate(acc, dot);
              return (result & 0x7F800000) == 0 ? 0 : result;
            }),
            0u);
}

TEST(GemmConformance, NoticesIgnoredNanScale) {
  EXPECT_GT(mismatches_with([](uint32_t acc, const BlockDot& dot) {
              return dot.special == BlockSpecial::nan ? acc : accumulate(acc, dot);
            }),
            0u);
}

TEST(GemmConformance, NoticesSwappedScales) {
  const Tally tally = run_all([](MxTensor a, const MxTensor& b, const float* bias, bool dual) {
    std::rotate(a.scales.begin(), a.scales.begin() + 1, a.scales.end());
    return gemm_block(a, b, bias, dual);
  });
  EXPECT_GT(tally.mismatches, 0u);
}

TEST(GemmConformance, NoticesWrongExponentAndZeroEngine) {
  EXPECT_GT(mismatches_with([](uint32_t acc, const BlockDot& dot) {
              BlockDot shifted = dot;
              shifted.exponent++;
              return accumulate(acc, shifted);
            }),
            0u);
  EXPECT_GT(mismatches_with([](uint32_t, const BlockDot&) { return 0u; }), 0u);
}

}  // namespace
}  // namespace mxe::numerics
