// SPDX-License-Identifier: Apache-2.0
// Sources: OCP MX v1.0, sections 5.1 (a value is its element times its block's scale), 6.1 and 6.2
// (dot products; precision and order are the implementation's). Steps, chains and rounding are the
// engine's (docs/numerics.md, "Dot products and matrix products").
#include "model/numerics/gemm/gemm_definition.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/numerics/gemm/exact_sum.h"

namespace mxe::numerics {
namespace {

// Scale of element k of a row.
ScaleNumber scale_at(const MxTensor& tensor, std::size_t row, std::size_t k) {
  const ScaleLayout& layout = tensor.layout;
  if (layout.kind == ScaleKind::none) return scale_number(layout.kind, 0);
  return scale_number(layout.kind, tensor.scales[row * tensor.scale_columns() + k / layout.block]);
}

}  // namespace

BlockDot part_dot(const MxTensor& a, std::size_t i, const MxTensor& b, std::size_t j, std::size_t k,
                  std::size_t count) {
  const ScaleNumber x = scale_at(a, i, k);
  const ScaleNumber y = scale_at(b, j, k);
  // The dot product of the elements alone: E8M0 code 127 is the scale 1.
  BlockDot dot = block_dot(a.format, &a.codes[i * a.k + k], kScaleBias, b.format,
                           &b.codes[j * b.k + k], kScaleBias, count);
  dot.sum *= static_cast<Int128>(x.significand) * y.significand;
  dot.exponent += x.exponent + y.exponent;
  const bool is_zero = x.significand == 0 || y.significand == 0;  // times an infinity: NaN
  if (x.is_nan || y.is_nan || (dot.special != BlockSpecial::none && is_zero)) {
    dot.special = BlockSpecial::nan;
  }
  return dot;
}

uint32_t definition_step(uint32_t acc, const MxTensor& a, std::size_t i, const MxTensor& b,
                         std::size_t j, std::size_t k, const PairRule& rule) {
  const std::size_t last = std::min<std::size_t>(a.k, k + rule.step);
  ExactSum sum;
  bool is_finite = true;
  uint32_t special = 0;
  for (; k < last; k += rule.part) {
    const BlockDot dot = part_dot(a, i, b, j, k, std::min<std::size_t>(rule.part, last - k));
    if (dot.special != BlockSpecial::none) {
      special = accumulate(special, dot);  // NaN wins; infinities of both signs give NaN
      is_finite = false;
    } else {
      sum.add(dot.sum, dot.exponent);
    }
  }
  if (!is_finite) return merge_chains(acc, special);
  if (is_nan_bits(acc)) return kQuietNan;
  if (!is_finite_bits(acc)) return acc;
  const FloatParts parts = float_parts(acc);
  const Int128 significand = parts.significand;
  sum.add(parts.negative ? -significand : significand, parts.exponent);
  return sum.to_float();
}

void gemm_definition_into(const MxTensor& a, const MxTensor& b, const float* start, bool dual,
                          std::size_t first_row, std::size_t last_row, float* out) {
  const PairRule rule = pair_rule(a.scaled_format(), b.scaled_format(), dual);
  for (std::size_t i = first_row; i < last_row; i++) {
    for (std::size_t j = 0; j < b.rows; j++) {
      const std::size_t at = i * b.rows + j;
      std::array<uint32_t, 2> acc = {start ? to_bits(start[at]) : 0, 0};
      for (std::size_t k = 0; k < a.k; k += rule.step) {
        uint32_t& chain = acc[k / rule.step % rule.chains];
        chain = definition_step(chain, a, i, b, j, k, rule);
      }
      const uint32_t sum = rule.chains == 2 ? merge_chains(acc[0], acc[1]) : acc[0];
      out[at] = from_bits(is_nan_bits(sum) ? kQuietNan : sum);
    }
  }
}

float apply_alpha(float alpha, float sum, const float* c) {
  float result = alpha * sum;
  if (alpha == 0 || sum == 0) result += 0.0f;  // -0 becomes +0; NaN of 0 * Inf stays
  if (c) result = result + *c + 0.0f;          // a sum of floats underflows only if it is exact
  return std::isnan(result) ? from_bits(kQuietNan) : result;
}

}  // namespace mxe::numerics
