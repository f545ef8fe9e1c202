// SPDX-License-Identifier: Apache-2.0
// quantize_block(), the definition, against results by hand, and every faster path against it.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/numerics/base/bits.h"
#include "model/numerics/block/block.h"
#include "model/numerics/block/presets.h"
#include "model/numerics/block/quantize_block.h"
#include "model/numerics/quantize/quantize.h"
#include "model/numerics/quantize/requantize.h"

namespace mxe::numerics {
namespace {

using Codes = std::vector<uint16_t>;

TEST(Definition, ResultsByHand) {
  const auto block = [](const std::vector<float>& x, FormatId format,
                        ScaleRule rule = ScaleRule::floor,
                        Rounding rounding = Rounding::nearest_even) {
    return quantize_block(x.data(), x.size(), element_format(format), rule, rounding);
  };
  // Scale 2^(1 - 2); elements 6, -3, 0.2 -> 0, -0, and the ties 0.25 -> 0, 0.75 -> 1, 5 -> 4.
  const std::vector<float> x = {3, -1.5f, 0.1f, -0.0f, 0.125f, 0.375f, 2.5f};
  const QuantizedBlock e2m1 = block(x, FormatId::mxfp4_e2m1);
  EXPECT_EQ(e2m1.scale, 126);
  EXPECT_EQ(e2m1.codes, (Codes{7, 0x8 | 5, 0, 0x8, 0, 2, 6}));
  EXPECT_EQ(e2m1.values, (std::vector<float>{3, -1.5f, 0, 0, 0, 0.5f, 2}));
  EXPECT_TRUE(std::signbit(e2m1.values[3]));
  // Other roundings of the ties 0.25, 0.75, 5 and of -0.25.
  const std::vector<float> ties = {3, 0.125f, 0.375f, 2.5f, -0.125f};
  const auto codes = [&](Rounding rounding) {
    return block(ties, FormatId::mxfp4_e2m1, ScaleRule::floor, rounding).codes;
  };
  EXPECT_EQ(codes(Rounding::nearest_away), (Codes{7, 1, 2, 7, 9}));
  EXPECT_EQ(codes(Rounding::nearest_zero), (Codes{7, 0, 1, 6, 8}));
  EXPECT_EQ(codes(Rounding::nearest_up), (Codes{7, 1, 2, 7, 8}));
  EXPECT_EQ(codes(Rounding::toward_zero), (Codes{7, 0, 1, 6, 8}));
  // floor: 7 saturates at 6. even, ceil: 7 has the scale 2. rceil: so has anything above 6.
  EXPECT_EQ(block({7}, FormatId::mxfp4_e2m1).values[0], 6);
  EXPECT_EQ(block({7}, FormatId::mxfp4_e2m1, ScaleRule::even).scale, 128);
  EXPECT_EQ(block({7}, FormatId::mxfp4_e2m1, ScaleRule::ceil).scale, 128);
  EXPECT_EQ(block({6}, FormatId::mxfp4_e2m1, ScaleRule::rceil).scale, 127);
  EXPECT_EQ(block({6.001f}, FormatId::mxfp4_e2m1, ScaleRule::rceil).scale, 128);
  // Two's complement without -128; 127.5 / 64 is a tie that saturates.
  const QuantizedBlock int8 = block({-1.9921875f, 1.984375f, -0.015625f}, FormatId::mxint8);
  EXPECT_EQ(int8.codes, (Codes{0x81, 0x7F, 0xFF}));
  // The ends of E8M0 (section 5.4.1), a subnormal float32, NaN and Inf (section 5.1).
  EXPECT_EQ(block({0, -0.0f}, FormatId::mxfp8_e4m3).scale, 0);
  const QuantizedBlock small = block({0x1p-126f, 0x1p-130f}, FormatId::mxfp8_e4m3);
  EXPECT_EQ(small.scale, 0);
  EXPECT_EQ(small.codes, (Codes{0x40, 0x20}));
  EXPECT_EQ(small.values, (std::vector<float>{0x1p-126f, 0x1p-130f}));
  for (const float special : {NAN, INFINITY, -INFINITY}) {
    const QuantizedBlock poisoned = block({1, special}, FormatId::mxfp8_e5m2);
    EXPECT_EQ(poisoned.scale, 255);
    EXPECT_EQ(poisoned.codes, (Codes{0, 0}));
    EXPECT_TRUE(std::isnan(poisoned.values[0]) && std::isnan(poisoned.values[1]));
  }
}

struct Path {
  std::string name;
  QuantizeRequest request;
};

std::vector<Path> paths() {
  std::vector<Path> all(1);
  all[0].name = "block by block";
  all[0].request.block_by_block = true;
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    if (!runs_simd_level(level)) continue;
    all.push_back({std::string(simd_level_name(level)), {}});
    all.back().request.simd = level;
  }
  return all;
}

// Compares all paths with the definition on x [rows][k], and on its transpose along axis 0.
void compare(const std::vector<float>& x, std::size_t rows, const Quantizer& quantizer) {
  const QuantizerOptions& options = quantizer.options;
  const std::size_t k = x.size() / rows;
  const std::size_t blocks = (k + options.block_size - 1) / options.block_size;
  std::vector<QuantizedBlock> expected;
  for (std::size_t row = 0; row < rows; row++) {
    for (std::size_t first = 0; first < k; first += options.block_size) {
      expected.push_back(quantize_block(
          &x[row * k + first], std::min(options.block_size, k - first), quantizer.format,
          options.scale_rule, options.rounding, options.seed, row * k + first));
    }
  }
  std::vector<float> turned(x.size());
  for (std::size_t i = 0; i < x.size(); i++) turned[i % k * rows + i / k] = x[i];
  for (Path path : paths()) {
    for (const int axis : {1, 0}) {
      if (axis == 0 && options.rounding == Rounding::stochastic) continue;  // other random bits
      SCOPED_TRACE(path.name + " axis " + std::to_string(axis));
      path.request.axis = axis;
      const QuantizedArray array =
          axis == 1 ? quantize(x.data(), {rows, k}, quantizer.format, options, path.request)
                    : quantize(turned.data(), {k, rows}, quantizer.format, options, path.request);
      for (std::size_t i = 0; i < x.size(); i++) {
        const std::size_t row = i / k, column = i % k, block = column / options.block_size;
        const QuantizedBlock& wanted = expected[row * blocks + block];
        const std::size_t at = axis == 1 ? i : column * rows + row;
        const std::size_t scale_at = axis == 1 ? row * blocks + block : block * rows + row;
        const std::size_t in_block = column % options.block_size;
        const uint16_t code = array.has_wide_codes() ? array.wide_codes[at] : array.codes[at];
        ASSERT_EQ(array.scale_codes[scale_at], wanted.scale) << "element " << i << ": " << x[i];
        ASSERT_EQ(code, wanted.codes[in_block]) << "element " << i << ": " << x[i];
        ASSERT_EQ(to_bits(array.dequantized[at]), to_bits(wanted.values[in_block]))
            << "element " << i << ": " << x[i];
      }
    }
  }
}

// Numbers of all exponents, near ties and powers of two, subnormals, zeros, NaN and Inf.
std::vector<float> random_numbers(std::mt19937& random, std::size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> x;
  while (x.size() < count) {
    const uint32_t kind = static_cast<uint32_t>(random()) % 8;
    const int exponent = static_cast<int>(random() % 276) - 148;
    for (std::size_t i = 0; i < 48; i++) {
      const auto bits = static_cast<uint32_t>(random());
      float value = normal(random);
      if (kind >= 2) value = std::ldexp(value, exponent);
      if (kind >= 4) value = std::ldexp(static_cast<float>(bits % 513) - 256, exponent / 2 - 8);
      if (kind == 5) value = from_bits(to_bits(value) + bits % 3 - 1);
      if (kind == 6) value = from_bits(bits & 0x80FFFFFF);
      if (kind == 7 && bits % 64 == 0) value = from_bits(bits | 0x7F800000);
      x.push_back(value);
    }
  }
  x.resize(count);
  return x;
}

TEST(Definition, EveryPathOnRandomBlocks) {
  constexpr uint32_t kSeed = 20231;
  std::mt19937 random(kSeed);
  std::vector<std::string> formats = {"e3m4", "e2m0", "e4m7", "int5", "int12"};
  for (const FormatRow& row : kFormats) formats.emplace_back(row.name);
  for (const std::string& format : formats) {
    for (const char* rule : {"floor", "ceil", "even", "rceil"}) {
      for (const char* rounding : {"rne", "away", "down", "up", "trunc", "stochastic"}) {
        const int64_t block = std::vector<int64_t>{32, 16, 1, 7, 48}[random() % 5];
        SCOPED_TRACE(::testing::Message() << format << " " << rule << " " << rounding << " block "
                                          << block << " seed " << kSeed);
        Overrides overrides{{"scale_rule", std::string(rule)},
                            {"rounding", std::string(rounding)},
                            {"block_size", block}};
        if (std::string(rounding) == "stochastic") overrides["seed"] = int64_t{5};
        const std::size_t k = 40 + random() % 60;
        compare(random_numbers(random, 18 * k), 18, make_quantizer(format, "ocp", overrides));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Compares the vector kernels with quantizing block by block. Returns the number of nonzero codes.
std::size_t compare_paths(const std::vector<float>& x, const std::vector<std::size_t>& shape,
                          const Quantizer& quantizer) {
  std::size_t nonzero = 0, differences = 0;
  for (const int axis : {1, 0}) {
    if (axis == 0 && quantizer.options.row_scaled) continue;
    QuantizedArray expected;
    for (Path path : paths()) {
      SCOPED_TRACE(path.name + " axis " + std::to_string(axis));
      path.request.axis = axis;
      QuantizedArray found =
          quantize(x.data(), shape, quantizer.format, quantizer.options, path.request);
      if (path.request.block_by_block) {
        expected = std::move(found);
        for (const uint8_t code : expected.codes) {
          if (code != 0) nonzero++;
        }
        continue;
      }
      EXPECT_EQ(found.codes, expected.codes);
      EXPECT_EQ(found.scale_codes, expected.scale_codes);
      for (std::size_t i = 0; i < x.size(); i++) {
        if (to_bits(found.dequantized[i]) != to_bits(expected.dequantized[i])) differences++;
      }
      EXPECT_EQ(differences, 0u);
    }
  }
  return nonzero;
}

TEST(Definition, StochasticRoundingInEveryPreset) {
  std::mt19937 random(11);
  const std::vector<float> x = random_numbers(random, 70 * 101);
  const Overrides overrides{{"rounding", std::string("stochastic")}, {"seed", int64_t{7}}};
  std::size_t tested = 0;
  for (const std::string& preset : preset_names()) {
    for (const char* format : {"mxfp8_e5m2", "mxfp8_e4m3", "mxfp6_e2m3", "mxfp4_e2m1", "mxint8",
                               "e3m4", "int5", "nvfp4"}) {
      SCOPED_TRACE(preset + " " + format);
      Quantizer quantizer;
      try {
        quantizer = make_quantizer(format, preset, overrides);
      } catch (const Error&) {
        continue;  // not a format of this preset
      }
      tested++;
      compare_paths(x, {70, 101}, quantizer);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(tested, 200u);
}

// 2^-9 to 2^-11 of a step round up for random numbers below 2^55 to 2^53. Kernels compare the upper
// 32 of 64 random bits, which do not suffice.
TEST(Definition, StochasticRoundingOfTinyElements) {
  constexpr std::size_t kRows = 256, kColumns = 1024;
  for (const char* format : {"mxfp8_e4m3", "mxfp4_e2m1", "mxint8"}) {
    SCOPED_TRACE(format);
    const Quantizer quantizer = make_quantizer(
        format, "ocp", {{"rounding", std::string("stochastic")}, {"seed", int64_t{3}}});
    const float top = std::ldexp(1.0f, quantizer.format.emax);
    std::vector<float> x(kRows * kColumns);
    for (std::size_t i = 0; i < x.size(); i++) {
      // The upper half of the significand of 1 + 2^-23 is 0: it drops 32 to 34 bits.
      const int exponent = quantizer.format.lsb_exponent - 9 - static_cast<int>(i % 3);
      x[i] = (i % kColumns + i / kColumns) % 32 == 0 ? top : std::ldexp(1.0f + 0x1p-23f, exponent);
    }
    const std::size_t tops = x.size() / 32;
    EXPECT_GT(compare_paths(x, {kRows, kColumns}, quantizer), 2 * tops + 500);
  }
}

// log2f of 1 - 5 * 2^-24, scaled to 2^15, is one too high, so the last mantissa bit is dropped.
// That shows if a number so close to 1 rounds down, which it does for random numbers from 1 - 2^-20
// on.
TEST(Definition, StochasticRoundingWithLog2OfFloat32) {
  constexpr uint64_t kLargest = uint64_t{0xFFFFF} << 44;
  uint64_t seed = 0;
  std::size_t at = 0;
  while (at == 0) {
    seed++;
    for (std::size_t i = 1; i < 32; i++) {
      if (random_bits(seed, i) >= kLargest) at = i;
    }
  }
  std::vector<float> x(32, 1.5f);
  x[at] = 1 - 5 * 0x1p-24f;
  const Quantizer quantizer = make_quantizer(
      "mxfp8_e5m2", "microxcaling-nearest",
      {{"rounding", std::string("stochastic")}, {"seed", static_cast<int64_t>(seed)}});
  compare_paths(x, {1, 32}, quantizer);
  EXPECT_EQ(quantize(x.data(), {1, 32}, quantizer.format, quantizer.options).dequantized[at],
            0.75f);
}

// Every bfloat16 number alone in a block (all scales). With rule floor, those below 2^(emax + 1)
// also in a block with scale 1 (all elements).
TEST(Definition, EveryPathOnEveryBfloat16) {
  std::vector<float> all;
  for (uint32_t bits = 0; bits < 0x10000; bits++) all.push_back(from_bits(bits << 16));
  for (const FormatId format : kAllFormats) {
    const float top = std::ldexp(1.0f, element_format(format).emax);
    std::vector<float> elements;
    for (const float x : all) {
      if (std::fabs(x) < 2 * top) elements.insert(elements.end(), {top, x});
    }
    for (const ScaleRule rule : kAllScaleRules) {
      SCOPED_TRACE(::testing::Message()
                   << element_format(format).name << " " << scale_rule_name(rule));
      const std::string name = scale_rule_name(rule);
      const std::string format_name = element_format(format).name;
      compare(
          all, 1,
          make_quantizer(format_name, "ocp", {{"scale_rule", name}, {"block_size", int64_t{1}}}));
      if (rule != ScaleRule::floor) continue;
      compare(
          elements, 1,
          make_quantizer(format_name, "ocp", {{"scale_rule", name}, {"block_size", int64_t{2}}}));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Definition, RequantizedRows) {
  std::mt19937 random(5);
  for (const FormatId format : kAllFormats) {
    for (const ScaleRule rule : kAllScaleRules) {
      const std::size_t columns = 33 + random() % 2000;
      const std::vector<float> x = random_numbers(random, columns);
      std::vector<uint8_t> codes(columns), scales((columns + 31) / 32);
      requantize_row(x.data(), columns, {format, rule, Overflow::saturate}, codes.data(),
                     scales.data());
      for (std::size_t first = 0; first < columns; first += 32) {
        const std::size_t count = std::min<std::size_t>(32, columns - first);
        const QuantizedBlock wanted =
            quantize_block(&x[first], count, element_format(format), rule);
        ASSERT_EQ(scales[first / 32], wanted.scale) << element_format(format).name;
        for (std::size_t i = 0; i < count; i++) {
          ASSERT_EQ(codes[first + i], wanted.codes[i])
              << element_format(format).name << x[first + i];
        }
      }
    }
  }
}

// x scaled by a block's scale s and the tensor scale t, as ScaleArithmetic describes it.
float scaled(float x, float s, float t, float g, ScaleArithmetic arithmetic) {
  switch (arithmetic) {
    case ScaleArithmetic::division:
      return x / s;
    case ScaleArithmetic::reciprocal:
      return x * (1 / s);
    case ScaleArithmetic::two_reciprocals:
      return x * ((1 / t) / s);
    case ScaleArithmetic::product:
    case ScaleArithmetic::normalized:
      return x / (s * t);
    case ScaleArithmetic::encode_factor:
    case ScaleArithmetic::encode_quotient:
      return x * (1 / (s * (1 / g)));
    case ScaleArithmetic::encode_division:
      return x / (s / g);
  }
  return 0;
}

// NVFP4 has floats as scales; its elements round as all others.
TEST(Definition, ElementsOfNvfp4) {
  std::mt19937 random(9);
  std::size_t compared = 0;
  for (const std::string& preset : preset_names()) {
    if (preset.rfind("nvfp4", 0) != 0) continue;
    const Quantizer quantizer = make_quantizer("nvfp4", preset);
    const QuantizerOptions& options = quantizer.options;
    if (options.scale_format.is_power_of_two()) continue;
    std::vector<float> x(16 * 160);
    for (float& value : x) {
      value = std::ldexp(static_cast<float>(static_cast<int>(random() % 4097) - 2048), -7);
    }
    const BlockRules whole = make_block_rules(quantizer.format, options, 2688);
    for (const Path& path : paths()) {
      SCOPED_TRACE(preset + " " + path.name);
      QuantizerOptions fixed = options;
      if (options.uses_tensor_scale && !options.row_scaled) fixed.tensor_amax = 2688;
      const QuantizedArray array =
          quantize(x.data(), {16, 160}, quantizer.format, fixed, path.request);
      if (options.row_scaled) continue;
      for (std::size_t i = 0; i < x.size(); i++) {
        const float s = array.scales[i / 160 * 10 + i % 160 / 16];
        if (s == 0) continue;
        const float quotient =
            scaled(x[i], s, array.tensor_scale, whole.tensor_encode, options.arithmetic);
        const uint32_t code = nearest_code(quantizer.format, quotient, options.rounding);
        ASSERT_EQ(array.codes[i] & 7u, code) << x[i] << " / " << s;
        compared++;
      }
    }
  }
  EXPECT_GT(compared, 10000u);
}

}  // namespace
}  // namespace mxe::numerics
