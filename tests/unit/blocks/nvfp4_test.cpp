// SPDX-License-Identifier: Apache-2.0
// NVFP4: scales, scaled blocks, and whole steps against sums of integers.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "model/blocks/array.h"
#include "model/blocks/scale_e4m3.h"
#include "model/blocks/scaled_block.h"
#include "model/numerics/formats/scaled_format.h"
#include "model/numerics/gemm/accumulate.h"

namespace mxe::blocks {
namespace {

using numerics::FormatId;

constexpr unsigned kMostElements = 64;
constexpr unsigned kBlockElements = 16;

/// The elements and the scale codes of one step of one operand.
struct Row {
  std::array<uint8_t, kMostElements> codes{};
  std::array<uint8_t, kScaledBlocks> scales{};

  Word word(bool dual) const {
    Word lanes{};
    for (unsigned i = 0; i < kBlockSize; i++) {
      lanes[i] = static_cast<uint8_t>(codes[i] | (dual ? codes[kBlockSize + i] << 4 : 0));
    }
    return lanes;
  }
  uint32_t packed_scales() const {
    uint32_t packed = 0;
    for (unsigned i = 0; i < kScaledBlocks; i++) packed |= uint32_t{scales[i]} << 8 * i;
    return packed;
  }
};

/// E2M1 in halves, by its definition.
int64_t element(uint8_t code) {
  static constexpr int64_t kHalves[] = {0, 1, 2, 3, 4, 6, 8, 12};
  return (code & 8) != 0 ? -kHalves[code & 7] : kHalves[code & 7];
}

/// UE4M3 in units of 2^-9, by its definition; NaN for 0x7F and more.
int64_t scale(uint8_t code) {
  const int64_t fraction = code & 7, field = code >> 3;
  return field == 0 ? fraction : (8 + fraction) << (field - 1);
}

struct Step {
  Row a, b;
  bool dual = true;
  unsigned count = kMostElements;  ///< elements within K
  uint32_t acc = 0;

  unsigned blocks() const { return dual ? kScaledBlocks : 2; }
  bool is_nan() const {
    for (unsigned i = 0; i * kBlockElements < count; i++) {
      if (a.scales[i] >= 0x7F || b.scales[i] >= 0x7F) return true;
    }
    return false;
  }
  /// In units of 2^-20.
  int64_t sum() const {
    int64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
      const unsigned block = i / kBlockElements;
      sum += element(a.codes[i]) * element(b.codes[i]) * scale(a.scales[block]) *
             scale(b.scales[block]);
    }
    return sum;
  }
};

/// A structural engine of one column and one row.
class Engine {
 public:
  explicit Engine(bool dual) : dual_(dual), array_(1, 1, dual) {
    const FmtInfo fmt = fmt_info(FormatId::mxfp4_e2m1);
    array_.start(fmt, fmt, dual, true);
  }
  void run(const Step& step) {
    array_.load_b(0, step.b.word(dual_), step.b.packed_scales(), step.count);
    array_.swap_b();
    array_.evaluate(step.a.word(dual_), step.a.packed_scales(), 1, 0, true, &step.acc);
  }
  int64_t sum() const { return static_cast<int64_t>(array_.pe[0].sum_even); }
  uint32_t result() const { return array_.pe[0].acc_even[0]; }

 private:
  bool dual_;
  Array<70> array_;
};

void expect(Engine& engine, const Step& step) {
  engine.run(step);
  if (step.is_nan()) {
    ASSERT_EQ(engine.result(), kQuietNan);
    return;
  }
  ASSERT_EQ(engine.sum(), step.sum());
  ASSERT_EQ(engine.result(), numerics::accumulate(step.acc, step.sum(), -20));
}

uint8_t random_scale(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0:
      return static_cast<uint8_t>(random() % 8);  // zero and subnormals
    case 1:
      return static_cast<uint8_t>(0x7E - random() % 8);
    case 2:
      return static_cast<uint8_t>(random() % 64 == 0 ? 0x7F + random() % 129 : 0x38);
    default:
      return static_cast<uint8_t>(random() % 0x7F);
  }
}

Step random_step(std::mt19937_64& random, bool dual) {
  Step step;
  step.dual = dual;
  const unsigned most = dual ? kMostElements : kBlockSize;
  step.count = random() % 2 == 0 ? most : 1 + static_cast<unsigned>(random() % most);
  for (Row* row : {&step.a, &step.b}) {
    const uint64_t one_sign = random() % 4 == 0 ? 7 : 15;
    for (unsigned i = 0; i < kMostElements; i++) {
      row->codes[i] = static_cast<uint8_t>(random() & one_sign);
    }
    if (random() % 8 == 0) row->codes.fill(static_cast<uint8_t>(random() & 15));
    for (uint8_t& code : row->scales) code = random_scale(random);
  }
  // The unpacker fills scales beyond K with zeros.
  for (unsigned i = (step.count + kBlockElements - 1) / kBlockElements; i < kScaledBlocks; i++) {
    step.a.scales[i] = step.b.scales[i] = 0;
  }
  step.acc = static_cast<uint32_t>(random());
  const int64_t sum = step.sum();
  if (random() % 2 == 0) {  // -S or its neighbours, for cancellation
    step.acc = numerics::accumulate(0, -sum, -20) + static_cast<uint32_t>(random() % 3) - 1;
  }
  return step;
}

TEST(Nvfp4, DecodesEveryScale) {
  for (unsigned code = 0; code < 256; code++) {
    ScaleE4m3 decode;
    decode.evaluate(code);
    const auto expected =
        numerics::scale_number(numerics::ScaleKind::ue4m3, static_cast<uint8_t>(code));
    EXPECT_EQ(decode.nan_o, expected.is_nan) << code;
    if (expected.is_nan) continue;
    EXPECT_EQ(int64_t{decode.scale_o & 15} << (decode.scale_o >> 4),
              scale(static_cast<uint8_t>(code)))
        << code;
    EXPECT_EQ(std::ldexp(expected.significand, expected.exponent + 9),
              static_cast<double>(scale(static_cast<uint8_t>(code))))
        << code;
  }
}

TEST(Nvfp4, MultipliesEverySumByEveryScale) {
  const uint64_t seed = 21;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  ScaledBlock block;
  for (int32_t sum = -2304; sum <= 2304; sum++) {
    for (uint32_t significands = 0; significands < 256; significands++) {
      const uint32_t a = static_cast<uint32_t>(random() % 15) << 4 | significands >> 4;
      const uint32_t b = static_cast<uint32_t>(random() % 15) << 4 | (significands & 15);
      CarrySave in;
      in.ones = static_cast<uint32_t>(random() % 4);
      in.sum = static_cast<uint32_t>(random()) & 0x1FFF;
      in.carry = (static_cast<uint32_t>(sum) - in.sum - (in.ones >> 1) - (in.ones & 1)) & 0x1FFF;
      block.evaluate(in, a, b);
      ASSERT_EQ(block.sum_q, sum);
      ASSERT_EQ(block.term_o,
                int64_t{sum} * (a & 15) * (b & 15) * (int64_t{1} << ((a >> 4) + (b >> 4))))
          << sum << " scales " << a << ' ' << b;
    }
  }
}

TEST(Nvfp4, StepsEqualSumsOfIntegers) {
  const uint64_t seed = 22;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  Engine dual(true), single(false);
  for (int i = 0; i < 1'000'000; i++) {
    const bool is_dual = i % 3 != 0;
    const Step step = random_step(random, is_dual);
    expect(is_dual ? dual : single, step);
    if (HasFatalFailure()) FAIL() << "step " << i;
  }
}

// tests/conformance/make_nvfp4_dots.py wrote them by Python's fractions.
TEST(Nvfp4, RecordedSteps) {
  std::ifstream file(MXE_NVFP4_DOTS);
  Engine dual(true);
  unsigned steps = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    SCOPED_TRACE(line);
    std::istringstream in(line);
    Step step;
    std::string codes_a, codes_b;
    uint32_t scales_a = 0, scales_b = 0, result = 0;
    uint64_t sum = 0;
    bool is_nan = false;
    in >> std::hex >> step.count >> codes_a >> scales_a >> codes_b >> scales_b >> is_nan >> sum >>
        step.acc >> result;
    ASSERT_FALSE(in.fail());
    for (unsigned i = 0; i < kMostElements; i++) {
      const auto digit = [i](const std::string& codes) {
        return static_cast<uint8_t>(std::stoul(codes.substr(codes.size() - 1 - i, 1), nullptr, 16));
      };
      step.a.codes[i] = digit(codes_a);
      step.b.codes[i] = digit(codes_b);
    }
    for (unsigned i = 0; i < kScaledBlocks; i++) {
      step.a.scales[i] = static_cast<uint8_t>(scales_a >> 8 * i);
      step.b.scales[i] = static_cast<uint8_t>(scales_b >> 8 * i);
    }
    dual.run(step);
    EXPECT_EQ(step.is_nan(), is_nan);
    if (!is_nan) {
      EXPECT_EQ(dual.sum(), static_cast<int64_t>(sum));
    }
    EXPECT_EQ(dual.result(), result);
    steps++;
  }
  EXPECT_EQ(steps, 100u);
}

}  // namespace
}  // namespace mxe::blocks
