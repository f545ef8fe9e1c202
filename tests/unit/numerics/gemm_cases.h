// SPDX-License-Identifier: Apache-2.0
// Operands for corner cases of the fast golden GEMM, and its comparison with exact steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "model/numerics/gemm/accumulate.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/gemm/gemm_definition.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {

enum class OperandKind {
  normal,
  any_codes,
  extreme_scales,
  wide_blocks,
  spread,
  largest,
  many_large
};

/// [rows][k] by kind: quantized normals; any codes, some NaN; any scales but NaN; both ends of the
/// format in one block; normals times 2^0 to 2^-23; only the largest element; the largest and
/// zeros.
inline MxTensor make_operand(FormatId format, std::size_t rows, std::size_t k, OperandKind kind,
                             std::mt19937& random) {
  std::vector<float> x(rows * k);
  std::normal_distribution<float> normal;
  for (float& value : x) {
    value = normal(random);
    if (kind == OperandKind::spread) value = std::ldexp(value, -static_cast<int>(random() % 24));
  }
  MxTensor t = quantize_rows(x.data(), rows, k, format);
  const ElementFormat& f = element_format(format);
  auto next = [&random](uint32_t bound) { return static_cast<uint32_t>(random()) % bound; };
  if (kind == OperandKind::any_codes) {
    for (uint8_t& code : t.codes) code = static_cast<uint8_t>(next(f.code_mask() + 1));
    for (uint8_t& scale : t.scales)
      scale = static_cast<uint8_t>(next(40) == 0 ? 255 : 120 + next(16));
  } else if (kind == OperandKind::extreme_scales) {
    for (uint8_t& scale : t.scales) scale = static_cast<uint8_t>(next(255));
  } else if (kind == OperandKind::largest) {
    std::fill(t.codes.begin(), t.codes.end(), static_cast<uint8_t>(f.max_code));
  } else if (kind == OperandKind::many_large) {
    for (std::size_t i = 0; i < t.codes.size(); i++) {
      const std::size_t share = i % k / kBlockSize + i / k;
      t.codes[i] = static_cast<uint8_t>(next(8) < share % 9 ? f.max_code : 0);
    }
  } else if (kind == OperandKind::wide_blocks) {
    for (uint8_t& code : t.codes) {
      if (next(3) == 0) code = static_cast<uint8_t>(next(2) == 0 ? f.max_code : 1 + next(2));
    }
  }
  return t;
}

/// The product, step by step with exact accumulation.
inline std::vector<float> stepwise(const MxTensor& a, const MxTensor& b, const float* bias,
                                   bool dual) {
  const std::size_t chains = dual && is_four_bit(a.format) && is_four_bit(b.format) ? 2 : 1;
  const std::size_t columns = a.scale_columns();
  std::vector<float> out;
  for (std::size_t i = 0; i < a.rows; i++) {
    for (std::size_t j = 0; j < b.rows; j++) {
      uint32_t acc[2] = {bias ? to_bits(bias[i * b.rows + j]) : 0, 0};
      for (std::size_t block = 0; block < columns; block++) {
        const std::size_t k = block * kBlockSize;
        acc[block % chains] =
            accumulate(acc[block % chains],
                       block_dot(a.format, &a.codes[i * a.k + k], a.scales[i * columns + block],
                                 b.format, &b.codes[j * b.k + k], b.scales[j * columns + block],
                                 std::min<std::size_t>(kBlockSize, a.k - k)));
      }
      out.push_back(from_bits(chains == 2 ? merge_chains(acc[0], acc[1]) : acc[0]));
    }
  }
  return out;
}

/// Number of results of `multiply` that differ from stepwise(), over all pairs and `kinds`.
template <typename Multiply>
std::size_t gemm_mismatches(uint32_t seed, const std::vector<OperandKind>& kinds,
                            const Multiply& multiply) {
  std::mt19937 random(seed);
  std::size_t count = 0;
  for (const FormatId fa : kAllFormats) {
    for (const FormatId fb : kAllFormats) {
      for (const OperandKind kind : kinds) {
        const std::size_t m = 1 + random() % 14;
        const std::size_t n = 1 + random() % 40;
        const std::size_t k = 1 + random() % 300;
        const MxTensor a = make_operand(fa, m, k, kind, random);
        const MxTensor b = make_operand(fb, n, k, kind, random);
        std::vector<float> bias(m * n);
        std::normal_distribution<float> normal;
        for (float& value : bias) value = random() % 8 == 0 ? -0.0f : normal(random);
        const bool biased = random() % 2 == 0;
        const bool dual = random() % 4 != 0;
        const float* c = biased ? bias.data() : nullptr;
        const std::vector<float> expected = stepwise(a, b, c, dual);
        const std::vector<float> got = multiply(a, b, c, dual);
        for (std::size_t i = 0; i < expected.size(); i++) {
          count += to_bits(expected[i]) != to_bits(got[i]);
        }
      }
    }
  }
  return count;
}

template <typename Multiply>
std::size_t gemm_mismatches(uint32_t seed, const Multiply& multiply) {
  using Kind = OperandKind;
  return gemm_mismatches(seed,
                         {Kind::normal, Kind::any_codes, Kind::extreme_scales, Kind::wide_blocks},
                         multiply) +
         gemm_mismatches(seed, {Kind::spread, Kind::largest, Kind::many_large}, multiply);
}

/// Number of results of `multiply` that differ from the definition, for NVFP4 twice. Scales by
/// `kind`: 0 of one binade, as quantizers give them; 1 of every binade; 2 also NaN; 3 of every
/// binade, few elements; 4 all 1, few elements.
template <typename Multiply>
std::size_t nvfp4_mismatches(uint32_t seed, const Multiply& multiply) {
  std::mt19937 random(seed);
  const auto draw = [&random](std::size_t rows, std::size_t k, std::size_t kind) {
    MxTensor t{FormatId::mxfp4_e2m1, rows, k, {}, {}, kNvfp4Scales, {}};
    for (std::size_t i = 0; i < rows * k; i++) {
      const bool is_zero = kind >= 3 && random() % 16 != 0;
      t.codes.push_back(static_cast<uint8_t>(is_zero ? 0 : random() % 16));
    }
    for (std::size_t i = 0; i < rows * t.scale_columns(); i++) {
      const bool is_nan = kind == 2 && random() % 32 == 0;
      const auto code = kind == 0 ? 0x40 + random() % 8 : kind == 4 ? 0x38 : random() % 0x7F;
      t.scales.push_back(static_cast<uint8_t>(is_nan ? 0x7F + random() % 0x81 : code));
    }
    return t;
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < 60; i++) {
    const std::size_t m = 1 + random() % 14, n = 1 + random() % 40, k = 1 + random() % 300;
    const MxTensor a = draw(m, k, random() % 5);
    const MxTensor b = draw(n, k, random() % 5);
    std::vector<float> start(m * n);
    std::normal_distribution<float> normal;
    for (float& value : start) value = random() % 8 == 0 ? -0.0f : 1000 * normal(random);
    const float* c = i % 2 == 0 ? start.data() : nullptr;
    const bool dual = random() % 2 == 0;
    std::vector<float> expected(m * n);
    gemm_definition_into(a, b, c, dual, 0, m, expected.data());
    const std::vector<float> got = multiply(a, b, c, dual);
    for (std::size_t j = 0; j < m * n; j++) count += to_bits(expected[j]) != to_bits(got[j]);
  }
  return count;
}

}  // namespace mxe::numerics
