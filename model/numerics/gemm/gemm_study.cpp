// SPDX-License-Identifier: Apache-2.0
// The accumulation rules for studies: exact, sequential and nvidia-blackwell.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/numerics/gemm/accumulate.h"
#include "model/numerics/gemm/exact_sum.h"
#include "model/numerics/gemm/gemm_definition.h"
#include "model/numerics/gemm/gemm_policies.h"

namespace mxe::numerics {
namespace {

float canonical(uint32_t bits) { return from_bits(is_nan_bits(bits) ? kQuietNan : bits); }

template <typename Visit>
void for_each_block(const MxTensor& a, const MxTensor& b, std::size_t i, std::size_t j,
                    const Visit& visit) {
  const std::size_t columns = a.scale_columns();
  for (std::size_t block = 0; block < columns; block++) {
    const std::size_t k = block * kBlockSize;
    visit(block_dot(a.format, &a.codes[i * a.k + k], a.scales[i * columns + block], b.format,
                    &b.codes[j * b.k + k], b.scales[j * columns + block],
                    std::min<std::size_t>(kBlockSize, a.k - k)));
  }
}

constexpr std::size_t kMxf4nvf4Step = 64;
constexpr std::size_t kMxf4nvf4Group = 16;

// A term of the Blackwell rule: integer * 2^lsb, aligned by `exponent`.
struct AlignedTerm {
  Int128 integer;
  int lsb;
  int exponent;
};

// Exponent of an element's significand, at least that of the smallest normal number; zero: -126.
int significand_exponent(int64_t integer, const ElementFormat& format) {
  if (integer == 0) return -126;
  const uint64_t magnitude = static_cast<uint64_t>(integer < 0 ? -integer : integer);
  return std::max(floor_log2(magnitude) + format.lsb_exponent, format.emin());
}

// Rounds value * 2^exponent toward zero to float32; overflow gives the largest finite number.
uint32_t truncate_to_float(Int128 value, int exponent) {
  if (value == 0) return 0;
  const uint32_t sign = value < 0 ? 0x80000000 : 0;
  UInt128 magnitude = value < 0 ? static_cast<UInt128>(-value) : static_cast<UInt128>(value);
  const int top = floor_log2(magnitude);
  const int lsb = std::max(top + exponent - 23, -149);
  const int drop = lsb - exponent;
  if (drop > 127) return sign;
  if (drop > 0) magnitude = magnitude >> drop << drop;
  if (magnitude == 0) return sign;
  const uint32_t bits = round_to_float(static_cast<Int128>(magnitude), exponent);
  return sign | std::min(bits, kInfinity - 1);
}

// term * 2^(fraction_bits - largest), truncated to an integer.
Int128 aligned(const AlignedTerm& term, int largest, int fraction_bits) {
  const int shift = term.lsb - largest + fraction_bits;
  if (shift >= 0) return term.integer * (Int128{1} << shift);
  if (shift < -126) return 0;
  const Int128 magnitude = term.integer < 0 ? -term.integer : term.integer;
  const Int128 kept = magnitude >> -shift;
  return term.integer < 0 ? -kept : kept;
}

AlignedTerm accumulator_term(uint32_t acc) {
  const FloatParts parts = float_parts(acc);
  if (parts.significand == 0) return {0, 0, -126};
  const Int128 significand = parts.significand;
  return {parts.negative ? -significand : significand, parts.exponent,
          floor_log2(uint64_t{parts.significand}) + parts.exponent};
}

// The sum of terms, each truncated to fraction bits below the largest exponent, as float32.
uint32_t fused_sum(const AlignedTerm* terms, std::size_t count, int fraction_bits) {
  int largest = terms[0].exponent;
  for (std::size_t i = 1; i < count; i++) largest = std::max(largest, terms[i].exponent);
  Int128 sum = 0;
  for (std::size_t i = 0; i < count; i++) sum += aligned(terms[i], largest, fraction_bits);
  return truncate_to_float(sum, largest - fraction_bits);
}

// One step of mxf8f6f4: up to 32 finite element pairs.
uint32_t blackwell_step(uint32_t acc, const MxTensor& a, const uint8_t* codes_a, const MxTensor& b,
                        const uint8_t* codes_b, std::size_t count, int scale_exponent) {
  const ElementFormat& fa = element_format(a.format);
  const ElementFormat& fb = element_format(b.format);
  AlignedTerm terms[kBlockSize + 1];
  terms[0] = accumulator_term(acc);
  for (std::size_t i = 0; i < count; i++) {
    const int64_t x = integer_table(a.format)[codes_a[i]];
    const int64_t y = integer_table(b.format)[codes_b[i]];
    terms[i + 1] = {static_cast<Int128>(x) * y, fa.lsb_exponent + fb.lsb_exponent + scale_exponent,
                    significand_exponent(x, fa) + significand_exponent(y, fb) + scale_exponent};
  }
  constexpr int kFractionBits = 25;
  return fused_sum(terms, count + 1, kFractionBits);
}

// Exponent of a scale's significand, at least that of the smallest normal number; zero: -126.
int scale_exponent(ScaleKind kind, const ScaleNumber& scale) {
  if (scale.significand == 0) return -126;
  constexpr int kLeastUe4m3 = -6;
  const int exponent = floor_log2(uint64_t{scale.significand}) + scale.exponent;
  return kind == ScaleKind::ue4m3 ? std::max(exponent, kLeastUe4m3) : exponent;
}

// One step of mxf4nvf4: up to 64 pairs of E2M1 from element k on, in groups of 16. The sum of a
// group's products is exact, and aligned by the exponents of its scales alone.
uint32_t mxf4nvf4_step(uint32_t acc, const MxTensor& a, std::size_t i, const MxTensor& b,
                       std::size_t j, std::size_t k) {
  const ScaleKind kind = a.layout.kind;
  AlignedTerm terms[kMxf4nvf4Step / kMxf4nvf4Group + 1];
  terms[0] = accumulator_term(acc);
  std::size_t count = 1;
  const std::size_t last = std::min<std::size_t>(a.k, k + kMxf4nvf4Step);
  for (; k < last; k += kMxf4nvf4Group) {
    const BlockDot dot = part_dot(a, i, b, j, k, std::min<std::size_t>(kMxf4nvf4Group, last - k));
    if (dot.special != BlockSpecial::none) return kQuietNan;
    const std::size_t block = k / kMxf4nvf4Group;
    const ScaleNumber x = scale_number(kind, a.scales[i * a.scale_columns() + block]);
    const ScaleNumber y = scale_number(kind, b.scales[j * b.scale_columns() + block]);
    terms[count++] = {dot.sum, dot.exponent, scale_exponent(kind, x) + scale_exponent(kind, y)};
  }
  constexpr int kFractionBits = 35;
  return fused_sum(terms, count, kFractionBits);
}

void mxf4nvf4_into(const MxTensor& a, const MxTensor& b, const float* bias, std::size_t first_row,
                   std::size_t last_row, float* out) {
  for (std::size_t i = first_row; i < last_row; i++) {
    for (std::size_t j = 0; j < b.rows; j++) {
      uint32_t acc = bias ? to_bits(bias[i * b.rows + j]) : 0;
      for (std::size_t k = 0; k < a.k; k += kMxf4nvf4Step) {
        const uint32_t next = mxf4nvf4_step(is_finite_bits(acc) ? acc : 0, a, i, b, j, k);
        if (is_finite_bits(acc) || is_nan_bits(next)) acc = next;
      }
      out[i * b.rows + j] = canonical(acc);
    }
  }
}

}  // namespace

bool is_mxf4nvf4(const ScaledFormat& format) {
  return format.element == FormatId::mxfp4_e2m1 && format.scales.block == kMxf4nvf4Group &&
         (format.scales.kind == ScaleKind::ue4m3 || format.scales.kind == ScaleKind::e8m0);
}

void gemm_exact_into(const MxTensor& a, const MxTensor& b, const float* bias, std::size_t first_row,
                     std::size_t last_row, float* out) {
  const unsigned part = pair_rule(a.scaled_format(), b.scaled_format(), false).part;
  for (std::size_t i = first_row; i < last_row; i++) {
    for (std::size_t j = 0; j < b.rows; j++) {
      const uint32_t start = bias ? to_bits(bias[i * b.rows + j]) : 0;
      // `special` collects NaN and infinities; it stays 0 while all terms are finite.
      uint32_t special = is_finite_bits(start) ? 0 : start;
      ExactSum sum;
      if (special == 0) {
        const FloatParts parts = float_parts(start);
        const Int128 significand = parts.significand;
        sum.add(parts.negative ? -significand : significand, parts.exponent);
      }
      for (std::size_t k = 0; k < a.k; k += part) {
        const BlockDot dot = part_dot(a, i, b, j, k, std::min<std::size_t>(part, a.k - k));
        if (dot.special != BlockSpecial::none) {
          special = accumulate(special, dot);
        } else {
          sum.add(dot.sum, dot.exponent);
        }
      }
      out[i * b.rows + j] = special != 0 ? canonical(special) : canonical(sum.to_float());
    }
  }
}

void gemm_sequential_into(const MxTensor& a, const MxTensor& b, const float* bias,
                          std::size_t first_row, std::size_t last_row, float* out) {
  const std::vector<float> x = dequantize(a);
  const std::vector<float> y = dequantize(b);
  for (std::size_t i = first_row; i < last_row; i++) {
    for (std::size_t j = 0; j < b.rows; j++) {
      float sum = bias ? bias[i * b.rows + j] : 0.0f;
      for (std::size_t k = 0; k < a.k; k++) sum += x[i * a.k + k] * y[j * a.k + k];
      out[i * b.rows + j] = canonical(to_bits(sum));
    }
  }
}

void gemm_blackwell_into(const MxTensor& a, const MxTensor& b, const float* bias,
                         std::size_t first_row, std::size_t last_row, float* out) {
  if (is_mxf4nvf4(a.scaled_format())) return mxf4nvf4_into(a, b, bias, first_row, last_row, out);
  const std::size_t columns = a.scale_columns();
  for (std::size_t i = first_row; i < last_row; i++) {
    for (std::size_t j = 0; j < b.rows; j++) {
      uint32_t acc = bias ? to_bits(bias[i * b.rows + j]) : 0;
      std::size_t block = 0;
      for_each_block(a, b, i, j, [&](const BlockDot& dot) {
        const std::size_t k = block * kBlockSize;
        if (dot.special != BlockSpecial::none || !is_finite_bits(acc)) {
          acc = accumulate(acc, dot);
        } else {
          acc = blackwell_step(
              acc, a, &a.codes[i * a.k + k], b, &b.codes[j * b.k + k],
              std::min<std::size_t>(kBlockSize, a.k - k),
              a.scales[i * columns + block] + b.scales[j * columns + block] - 2 * kScaleBias);
        }
        block++;
      });
      out[i * b.rows + j] = canonical(acc);
    }
  }
}

}  // namespace mxe::numerics
