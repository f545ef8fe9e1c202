// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "model/numerics/block/block.h"

namespace mxe::numerics {
namespace {

// Value of a code in the comparison; with amax_first its products differ from scaled_value().
float candidate(float value, const BlockRules& rules, const BlockScale& scale) {
  if (rules.options.value_order != ValueOrder::amax_first) {
    return rules.scaled_value(value, scale.value);
  }
  return value * scale.value * rules.tensor_amax / rules.tensor_limit;
}

// Error of one row with a scale, summed in float32 in the order of elements.
float row_error(const float* x, std::size_t count, const BlockRules& rules, const BlockScale& scale,
                std::vector<uint16_t>& codes) {
  quantize_elements(x, count, rules, scale, codes.data(), nullptr);
  float error = 0;
  for (std::size_t i = 0; i < count; i++) {
    const float difference = candidate(rules.values[codes[i]], rules, scale) - x[i];
    error += rules.options.four_over_six == FourOverSix::squared ? difference * difference
                                                                 : std::fabs(difference);
  }
  return error;
}

// Sum of the rows' errors: adds halves to halves, in the order of a CUDA warp reduction.
float sum_of_rows(std::vector<float> errors) {
  while (errors.size() > 1) {
    const std::size_t half = (errors.size() + 1) / 2;
    for (std::size_t i = half; i < errors.size(); i++) errors[i - half] += errors[i];
    errors.resize(half);
  }
  return errors.empty() ? 0.0f : errors[0];
}

float block_error(const float* x, std::size_t count, const BlockRules& rules,
                  const BlockScale& scale) {
  const std::size_t size = rules.options.block_size;
  std::vector<uint16_t> codes(size);
  std::vector<float> errors;
  for (std::size_t first = 0; first < count; first += size) {
    errors.push_back(row_error(x + first, std::min(size, count - first), rules, scale, codes));
  }
  return sum_of_rows(std::move(errors));
}

}  // namespace

BlockScale four_over_six_scale(const float* x, std::size_t count, const BlockRules& rules) {
  const BlockScale six = real_scale(x, count, rules, 1);
  const BlockScale four = real_scale(x, count, rules, 1.5f);
  return block_error(x, count, rules, four) < block_error(x, count, rules, six) ? four : six;
}

}  // namespace mxe::numerics
