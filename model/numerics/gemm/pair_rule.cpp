// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/gemm/pair_rule.h"

#include "model/numerics/base/bits.h"
#include "model/numerics/gemm/accumulate.h"

namespace mxe::numerics {
namespace {

bool has_short_block(const ScaledFormat& format) {
  return format.scales.kind == ScaleKind::e8m0 && format.scales.block < kBlockSize;
}

}  // namespace

PairRule pair_rule(const ScaledFormat& a, const ScaledFormat& b, bool dual) {
  const bool significand_a = !is_power_of_two(a.scales.kind);
  const bool significand_b = !is_power_of_two(b.scales.kind);
  PairRule rule{kBlockSize, 1, kBlockSize, 0};
  if (significand_a || significand_b) rule.part = kNvfp4Scales.block;
  if (significand_a && significand_b) {
    rule.step = dual ? 2 * kBlockSize : kBlockSize;
  } else if (has_short_block(a) || has_short_block(b)) {
    rule.step = rule.part = kNvfp4Scales.block;
  } else if (!significand_a && !significand_b) {
    rule.chains = dual && is_dual_pair(a.element, b.element) ? 2 : 1;
  }
  const UInt128 largest = static_cast<UInt128>(element_shape(a.element).largest_integer()) *
                          element_shape(b.element).largest_integer() * rule.step *
                          largest_scale_integer(a.scales.kind) *
                          largest_scale_integer(b.scales.kind);
  rule.sum_bits = static_cast<unsigned>(floor_log2(largest)) + 2;
  return rule;
}

}  // namespace mxe::numerics
