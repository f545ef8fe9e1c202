// SPDX-License-Identifier: Apache-2.0
// Compares the vector kernels with the path block by block, near rounding boundaries: codes, scales
// and values must be equal, for every preset, format and vector level, with random axes, lengths
// and input types.
//
//   mx_fast_check [--values N] [--seed S] [--preset NAME] [--level NAME]
//
// At least N values per preset. Describes the first difference of each preset; then exits with 1.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {
namespace {

constexpr std::size_t kRun = 32;  // values of one kind

struct Settings {
  std::size_t values = 200000;
  uint64_t seed = 1;
  std::string preset;
  std::string level;
};

float beside(float x, int units) { return from_bits(to_bits(x) + static_cast<uint32_t>(units)); }

float draw(std::mt19937_64& random, unsigned kind, float scale) {
  const auto bits = static_cast<uint32_t>(random());
  std::normal_distribution<float> normal;
  const auto few = static_cast<int>(bits % 257) - 128;
  const int near = static_cast<int>((bits >> 8) % 65) - 32;
  const float sign = (bits >> 31) != 0 ? -1.0f : 1.0f;
  switch (kind) {
    case 0:  // multiples of the smallest steps: ties
      return static_cast<float>(few) * scale * 0.125f;
    case 1:  // near powers of two
      return sign * beside(std::ldexp(scale, few % 8), near);
    case 2:  // near halves of steps
      return sign * beside(static_cast<float>(2 * (few & 63) + 1) * scale * 0.0625f, near % 3);
    case 3:  // near the largest elements of the formats
      return sign * beside((few & 1) != 0 ? 1.75f * scale : 1.5f * scale, near % 3);
    case 4:  // any bits: subnormals, NaN, Inf
      return from_bits(bits);
    case 5:  // subnormals and the lowest binades
      return from_bits(bits & 0x81FFFFFF);
    case 6:
      return (bits & 1) != 0 ? -0.0f : 0.0f;
    case 7:  // many magnitudes in a block
      return normal(random) * std::ldexp(scale, -static_cast<int>(bits % 30));
    case 8:  // bfloat16 numbers
      return from_bits(to_bits(normal(random) * scale) & 0xFFFF0000);
    default:
      return normal(random) * scale;
  }
}

std::vector<float> inputs(std::mt19937_64& random, std::size_t count) {
  std::vector<float> x;
  x.reserve(count + kRun);
  while (x.size() < count) {
    const auto kind = static_cast<unsigned>(random() % 14);
    const bool narrow = random() % 2 == 0;
    const int exponent = static_cast<int>(random() % (narrow ? 16 : 270)) - (narrow ? 8 : 142);
    const float scale = std::ldexp(1.0f, exponent);
    for (std::size_t i = 0; i < kRun; i++) x.push_back(draw(random, kind, scale));
    if (random() % 64 == 0) x[x.size() - 1 - random() % kRun] = std::nanf("");
    if (random() % 64 == 0) x[x.size() - 1 - random() % kRun] = -INFINITY;
  }
  x.resize(count);
  return x;
}

template <typename T>
bool same(const char* what, const std::vector<T>& fast, const std::vector<T>& slow,
          const std::vector<float>& x) {
  if (fast.size() == slow.size() &&
      (fast.empty() || std::memcmp(fast.data(), slow.data(), fast.size() * sizeof(T)) == 0)) {
    return true;
  }
  for (std::size_t i = 0; i < fast.size(); i++) {
    if (std::memcmp(&fast[i], &slow[i], sizeof(T)) == 0) continue;
    std::cerr << fmt::format("{} {}: {} instead of {}", what, i, +fast[i], +slow[i]);
    if (fast.size() == x.size()) std::cerr << fmt::format(" for {:a}", x[i]);
    std::cerr << "\n";
    break;
  }
  return false;
}

struct Case {
  std::string format;
  std::string preset;
  std::vector<std::size_t> shape;
  int axis;
  bool dequantize;
  SimdLevel level;
  NumberType type;
};

const char* type_name(NumberType type) {
  if (type == NumberType::float16) return "float16";
  return type == NumberType::bfloat16 ? "bfloat16" : "float32";
}

std::vector<uint16_t> narrowed(std::vector<float>& x, NumberType type) {
  std::vector<uint16_t> result;
  for (const float value : x) {
    const uint32_t bits = to_bits(value);
    result.push_back(type == NumberType::float16 ? float16_bits(bits) : bfloat16_bits(bits));
  }
  const FloatArray array(result.data(), type);
  for (std::size_t i = 0; i < x.size(); i++) x[i] = array[i];
  return result;
}

bool agrees(const Case& c, std::vector<float>& x) {
  const Quantizer quantizer = make_quantizer(c.format, c.preset);
  QuantizeRequest request;
  request.axis = c.axis;
  request.dequantize = c.dequantize;
  request.simd = c.level;
  request.threads = 1 + static_cast<unsigned>(x.size() % 3);
  const auto run = [&](const FloatArray& array) {
    return quantize(array, c.shape, quantizer.format, quantizer.options, request);
  };
  std::vector<uint16_t> numbers;
  if (c.type != NumberType::float32) numbers = narrowed(x, c.type);
  const QuantizedArray fast =
      run(numbers.empty() ? FloatArray(x.data()) : FloatArray(numbers.data(), c.type));
  request.block_by_block = true;
  const QuantizedArray slow = run(x.data());
  const bool good = same("code", fast.codes, slow.codes, x) &&
                    same("scale code", fast.scale_codes, slow.scale_codes, x) &&
                    same("scale", fast.scales, slow.scales, x) &&
                    same("value", fast.dequantized, slow.dequantized, x);
  if (!good) {
    std::cerr << fmt::format("preset {}, format {}, axis {}, last axis {}, {}, {}\n", c.preset,
                             c.format, c.axis, c.shape.back(), type_name(c.type),
                             simd_level_name(c.level));
  }
  return good;
}

std::vector<std::string> formats_of(const std::string& preset) {
  std::vector<std::string> formats;
  std::vector<std::string> names = {"nvfp4", "e3m4", "int5"};
  for (const FormatRow& row : kFormats) names.emplace_back(row.name);
  for (const std::string& name : names) {
    try {
      make_quantizer(name, preset);
      if (name != "nvfp4" || preset.rfind("nvfp4", 0) == 0) formats.push_back(name);
    } catch (const Error&) {  // this preset does not have the format
    }
  }
  return formats;
}

std::vector<SimdLevel> levels(const std::string& name) {
  std::vector<SimdLevel> result;
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    if (!runs_simd_level(level)) continue;
    if (name.empty() || name == simd_level_name(level)) result.push_back(level);
  }
  return result;
}

// Checks at least `values` values of a preset; returns 0 at a difference.
std::size_t check(const std::string& preset, const Settings& settings) {
  const std::vector<std::string> formats = formats_of(preset);
  const std::vector<SimdLevel> all_levels = levels(settings.level);
  constexpr std::size_t kLengths[] = {256, 100, 33, 16, 7, 640};
  std::mt19937_64 random(settings.seed);
  std::size_t done = 0;
  for (std::size_t turn = 0; done < settings.values; turn++) {
    for (const std::string& format : formats) {
      const std::size_t length = kLengths[random() % std::size(kLengths)];
      const std::size_t rows = 1 + random() % (16384 / length);
      const std::size_t across = random() % 2 == 0 ? 1 : 1 + random() % 3;
      Case c{format,
             preset,
             {rows, across, length},
             -1,
             random() % 2 == 0,
             all_levels[turn % all_levels.size()],
             random() % 2 == 0 ? NumberType::float32 : static_cast<NumberType>(1 + random() % 2)};
      std::vector<float> x = inputs(random, rows * across * length);
      // One NaN makes a tensor scale NaN; then the kernels process no block.
      if (random() % 2 == 0) {
        for (float& value : x) value = std::isfinite(value) ? value : 1.0f;
      }
      const bool square = make_quantizer(format, preset).options.block_rows > 1;
      c.axis = static_cast<int>(random() % (square ? 2 : 3)) - (square ? 2 : 3);
      if (random() % 2 == 0) c.axis = -1;
      if (!agrees(c, x)) return 0;
      done += x.size();
    }
  }
  return done;
}

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) throw Error(fmt::format("{} needs a value", name));
    const std::string value = argv[i + 1];
    if (name == "--values") {
      settings.values = static_cast<std::size_t>(std::stod(value));
    } else if (name == "--seed") {
      settings.seed = std::stoull(value);
    } else if (name == "--preset") {
      settings.preset = value;
    } else if (name == "--level") {
      settings.level = value;
    } else {
      throw Error(fmt::format("unknown option '{}'", name));
    }
  }
  return settings;
}

}  // namespace
}  // namespace mxe::numerics

int main(int argc, char** argv) {
  using namespace mxe::numerics;
  try {
    const Settings settings = parse(argc, argv);
    if (levels(settings.level).empty()) throw mxe::Error("no such level on this processor");
    bool good = true;
    for (const std::string& preset : preset_names()) {
      if (!settings.preset.empty() && settings.preset != preset) continue;
      const std::size_t values = check(preset, settings);
      if (values > 0)
        std::cout << fmt::format("{:24} {:12} values the same", preset, values) << std::endl;
      if (values == 0)
        std::cout << fmt::format("{:24} differs (seed {})", preset, settings.seed) << std::endl;
      good = good && values > 0;
    }
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
