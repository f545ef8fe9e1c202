// SPDX-License-Identifier: Apache-2.0
// Compares the golden GEMM with the oracle of pair_oracle.h, for random operands of every scale
// kind and block size: subnormal and NaN scale codes, ragged K, cancellation, bias with and without
// ALPHA, with and without FP4_DUAL. The definition and gemm() at every vector level of this
// processor must give the oracle's bits.
//
//   mx_pair_check [--values N] [--seed S] [--print]
//
// --print writes each case as a line of JSON for check_pairs.py and compares nothing. Exits with 1
// at the first difference, or if N >= 1e5 values lack one of the sorts of results that it counts.
#include <fmt/format.h>

#include <array>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/gemm/gemm.h"
#include "model/numerics/gemm/gemm_definition.h"
#include "tests/conformance/pair_oracle.h"

namespace mxe::numerics {
namespace {

using Random = std::mt19937_64;

struct Settings {
  std::size_t values = 100000;
  uint64_t seed = 1;
  bool prints = false;
};

std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

template <typename T, std::size_t kCount>
T one_of(Random& random, const std::array<T, kCount>& values) {
  return values[below(random, kCount)];
}

ScaledFormat draw_format(Random& random) {
  const FormatId element = one_of(random, kAllFormats);
  switch (below(random, 8)) {
    case 0:
      return {FormatId::mxfp4_e2m1, {ScaleKind::ue5m3, 16}};
    case 1:
      return {element, {ScaleKind::none, kBlockSize}};
    case 2:
      return {element, {ScaleKind::e8m0, 16}};
    case 3:
      return {element, {ScaleKind::e8m0, one_of<unsigned, 3>(random, {32, 64, 128})}};
    default:
      return {FormatId::mxfp4_e2m1, kNvfp4Scales};
  }
}

// How the scales of a tensor are drawn. E8M0 codes lie around 127, so that most sums are finite.
enum class Scales : uint8_t { near, wide, subnormal, any };
constexpr std::array<Scales, 6> kScales = {Scales::near, Scales::near,      Scales::wide,
                                           Scales::wide, Scales::subnormal, Scales::any};

uint8_t draw_scale(Random& random, ScaleKind kind, Scales scales) {
  const bool is_e8m0 = kind == ScaleKind::e8m0;
  const std::size_t largest = is_e8m0 ? 254 : kind == ScaleKind::ue4m3 ? 0x7E : 0xFE;
  switch (scales) {
    case Scales::near:
      return static_cast<uint8_t>((is_e8m0 ? 125 : largest / 2) + below(random, is_e8m0 ? 5 : 16));
    case Scales::wide:
      return static_cast<uint8_t>(is_e8m0 ? 110 + below(random, 34) : below(random, largest + 1));
    case Scales::subnormal:
      return static_cast<uint8_t>(below(random, is_e8m0 ? 3 : 9));
    case Scales::any:
      break;
  }
  if (below(random, 60) == 0)
    return static_cast<uint8_t>(largest + 1 + below(random, 255 - largest));
  return static_cast<uint8_t>(below(random, largest + 1));
}

// NaN and infinities occur only in a tensor that allows them, about once in 16 codes.
uint8_t draw_code(Random& random, const ElementShape& shape, bool allows_specials) {
  const auto code = static_cast<uint8_t>(below(random, shape.code_mask() + 1));
  if (!shape.has_nan) return code;
  const uint32_t magnitude = code & (shape.sign_mask() - 1);
  const bool is_special = magnitude > shape.max_code;
  if (!allows_specials) return is_special ? 0 : code;
  if (below(random, 16) == 0)
    return static_cast<uint8_t>((code & shape.sign_mask()) | (shape.max_code + 1));
  return is_special && below(random, 16) != 0 ? 0 : code;
}

MxTensor draw_tensor(Random& random, std::size_t rows, std::size_t k) {
  const ScaledFormat format = draw_format(random);
  const ElementShape& shape = element_shape(format.element);
  MxTensor t;
  t.format = format.element;
  t.layout = format.scales;
  t.rows = rows;
  t.k = k;
  const bool allows_specials = below(random, 8) == 0;
  for (std::size_t i = 0; i < rows * k; i++) {
    t.codes.push_back(draw_code(random, shape, allows_specials));
  }
  const Scales scales = one_of(random, kScales);
  for (std::size_t i = 0; i < rows * t.scale_columns(); i++) {
    t.scales.push_back(draw_scale(random, format.scales.kind, scales));
  }
  return t;
}

// The second half of K repeats the first with the signs of A inverted: sums become small or 0.
void cancel(Random& random, MxTensor& a, MxTensor& b) {
  const std::size_t half = a.k / 2 / 128 * 128;
  for (MxTensor* t : {&a, &b}) {
    const ElementShape& shape = element_shape(t->format);
    const std::size_t columns = t->scale_columns();
    const std::size_t blocks = t->layout.columns(half);
    for (std::size_t row = 0; row < t->rows; row++) {
      uint8_t* codes = &t->codes[row * t->k];
      for (std::size_t i = 0; i < half; i++) {
        const bool negates = t == &a && shape.kind == FormatKind::floating;
        codes[half + i] = static_cast<uint8_t>(negates ? codes[i] ^ shape.sign_mask() : codes[i]);
      }
      for (std::size_t i = 2 * half; i < t->k; i++) codes[i] = 0;
      for (std::size_t i = 0; i < blocks; i++) {
        t->scales[row * columns + blocks + i] = t->scales[row * columns + i];
      }
    }
  }
  if (half > 0 && below(random, 2) == 0) a.codes[half] = 1;
}

float draw_float(Random& random) {
  std::normal_distribution<float> normal;
  const auto bits = static_cast<uint32_t>(random());
  switch (below(random, 8)) {
    case 0:
      return from_bits(bits);
    case 1:
      return from_bits(bits & 0x807FFFFF);  // a zero or a subnormal
    case 2:
      return (bits & 1) != 0 ? -0.0f : 0.0f;
    case 3:
      return std::ldexp(normal(random), static_cast<int>(bits % 250) - 125);
    default:
      return normal(random);
  }
}

struct Case {
  MxTensor a, b;
  std::vector<float> bias;  // empty: none
  std::optional<float> alpha;
  bool dual = true;

  float expected(std::size_t i, std::size_t j) const {
    const float* c = bias.empty() ? nullptr : &bias[i * b.rows + j];
    return test::product(a, i, b, j, c, alpha ? &*alpha : nullptr, dual);
  }
};

Case draw_case(Random& random) {
  Case c;
  const std::size_t k = one_of<std::size_t, 6>(
      random, {1 + below(random, 64), 64, 128, 1 + below(random, 200), 256, 259});
  c.a = draw_tensor(random, 1 + below(random, 7), k);
  c.b = draw_tensor(random, 1 + below(random, 36), k);
  if (k >= 256 && below(random, 2) == 0) cancel(random, c.a, c.b);
  c.dual = below(random, 2) == 0;
  if (below(random, 2) == 0) c.alpha = draw_float(random);
  if (below(random, 2) == 0) {
    for (std::size_t i = 0; i < c.a.rows * c.b.rows; i++) c.bias.push_back(draw_float(random));
    if (below(random, 2) == 0 && !c.alpha) {  // minus the sum of the first products
      for (std::size_t i = 0; i < c.bias.size(); i++) {
        c.bias[i] = -test::product(c.a, i / c.b.rows, c.b, i % c.b.rows, nullptr, nullptr, true);
      }
    }
  }
  return c;
}

// Sorts of results that the cases must contain.
struct Tally {
  std::size_t values = 0, zeros = 0, negative_zeros = 0, subnormals = 0, infinities = 0, nans = 0;

  void add(float result) {
    const uint32_t bits = to_bits(result);
    values++;
    zeros += bits == 0;
    negative_zeros += bits == 0x80000000;
    subnormals += (bits & 0x7F800000) == 0 && (bits & 0x7FFFFF) != 0;
    infinities += (bits & 0x7FFFFFFF) == kInfinity;
    nans += is_nan_bits(bits);
  }
  bool is_complete() const {
    return zeros > 0 && negative_zeros > 0 && subnormals > 0 && infinities > 0 && nans > 0;
  }
};

std::string hex(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string hex(const std::vector<float>& values) {
  std::string text;
  for (const float value : values) text += fmt::format("{:08x}", to_bits(value));
  return text;
}

std::string json(const MxTensor& t) {
  return fmt::format(
      R"({{"element": "{}", "kind": {}, "block": {}, "rows": {}, "codes": "{}", "scales": "{}"}})",
      element_format(t.format).name, static_cast<int>(t.layout.kind), t.layout.block, t.rows,
      hex(t.codes), hex(t.scales));
}

void print(const Case& c, const std::vector<float>& results) {
  fmt::print(
      R"({{"a": {}, "b": {}, "k": {}, "dual": {}, "bias": "{}", "alpha": "{}", "results": "{}"}})"
      "\n",
      json(c.a), json(c.b), c.a.k, c.dual, hex(c.bias),
      c.alpha ? hex(std::vector<float>{*c.alpha}) : "", hex(results));
}

std::vector<float> by_definition(const Case& c) {
  std::vector<float> out(c.a.rows * c.b.rows);
  const float* bias = c.bias.empty() ? nullptr : c.bias.data();
  gemm_definition_into(c.a, c.b, c.alpha ? nullptr : bias, c.dual, 0, c.a.rows, out.data());
  for (std::size_t i = 0; c.alpha && i < out.size(); i++) {
    out[i] = apply_alpha(*c.alpha, out[i], bias ? bias + i : nullptr);
  }
  return out;
}

std::vector<float> by_gemm(const Case& c, SimdLevel level) {
  GemmOptions options;
  options.dual = c.dual;
  options.alpha = c.alpha;
  options.simd = level;
  return gemm(c.a, c.b, c.bias.empty() ? nullptr : c.bias.data(), options);
}

// Describes the first difference between a path's results and the oracle's; empty if there is none.
std::string compare(const Case& c, const std::vector<float>& expected, const std::string& path,
                    const std::vector<float>& results) {
  for (std::size_t i = 0; i < expected.size(); i++) {
    const uint32_t oracle = std::isnan(expected[i]) ? kQuietNan : to_bits(expected[i]);
    if (to_bits(results[i]) == oracle) continue;
    return fmt::format(
        "{}: result [{}][{}] of {} x {}, K = {}, dual {}, alpha {}, bias {} is {:08x}; "
        "the oracle has {:08x}",
        path, i / c.b.rows, i % c.b.rows, c.a.scaled_format().name(), c.b.scaled_format().name(),
        c.a.k, c.dual, c.alpha.has_value(), !c.bias.empty(), to_bits(results[i]), oracle);
  }
  return {};
}

std::string check_case(const Case& c, const std::vector<float>& expected) {
  std::string difference = compare(c, expected, "definition", by_definition(c));
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    if (!difference.empty()) break;
    if (!runs_simd_level(level)) continue;
    difference = compare(c, expected, simd_level_name(level), by_gemm(c, level));
  }
  return difference;
}

int run(const Settings& settings) {
  Random random(settings.seed);
  Tally tally;
  while (tally.values < settings.values) {
    const Case c = draw_case(random);
    std::vector<float> expected;
    for (std::size_t i = 0; i < c.a.rows; i++) {
      for (std::size_t j = 0; j < c.b.rows; j++) expected.push_back(c.expected(i, j));
    }
    for (const float value : expected) tally.add(value);
    if (settings.prints) {
      print(c, by_definition(c));
      continue;
    }
    const std::string difference = check_case(c, expected);
    if (difference.empty()) continue;
    fmt::print(stderr, "mx_pair_check: seed {}, {}\n", settings.seed, difference);
    return 1;
  }
  fmt::print(stderr,
             "{} values agree: {} exact zeros, {} of -0, {} subnormal, {} infinite, {} NaN\n",
             tally.values, tally.zeros, tally.negative_zeros, tally.subnormals, tally.infinities,
             tally.nans);
  if (settings.values < 100000 || tally.is_complete()) return 0;
  fmt::print(stderr, "mx_pair_check: a sort of results does not occur\n");
  return 1;
}

}  // namespace
}  // namespace mxe::numerics

int main(int argc, char** argv) {
  mxe::numerics::Settings settings;
  for (int i = 1; i < argc; i++) {
    const std::string_view option = argv[i];
    if (option == "--print") {
      settings.prints = true;
    } else if (option == "--values" && i + 1 < argc) {
      settings.values = static_cast<std::size_t>(std::stod(argv[++i]));
    } else if (option == "--seed" && i + 1 < argc) {
      settings.seed = std::stoull(argv[++i]);
    } else {
      std::cerr << "usage: mx_pair_check [--values N] [--seed S] [--print]\n";
      return 2;
    }
  }
  return mxe::numerics::run(settings);
}
