// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/scale_choice.h"

#include <algorithm>
#include <cmath>

namespace mxe::numerics {
namespace {

bool is_ordinary(float factor) { return std::isfinite(factor) && factor > 0; }

}  // namespace

ScaleChoice::ScaleChoice(const BlockRules& rules, const PresetKernels& kernels,
                         const EncodeParameters& parameters)
    : rules_(rules),
      kernels_(kernels),
      parameters_(parameters),
      block_rows_(rules.options.block_rows) {}

float ScaleChoice::whole(const BlockRules& rules) const {
  return rules.options.value_order == ValueOrder::amax_first ? rules.tensor_amax
                                                             : rules.tensor_decode;
}

void ScaleChoice::set_wholes(const BlockElements& elements, const BlockRules* block_rules) {
  wholes_.assign(elements.blocks * (elements.across ? elements.size : 1), whole(rules_));
  if (!block_rules) return;
  for (std::size_t i = 0; i < wholes_.size(); i++) wholes_[i] = whole(block_rules[i]);
}

// Makes element i of all blocks contiguous.
void ScaleChoice::transpose(const BlockElements& elements) {
  const std::size_t size = elements.size;
  const std::size_t blocks = elements.blocks;
  buffer_.resize(elements.rows * size * blocks);
  row_.resize(size * blocks);
  float* out = buffer_.data();
  for (std::size_t row = 0; row < elements.rows; row++, out += size * blocks) {
    kernels_.widen(elements.x.from(row * elements.stride).data(), size * blocks, row_.data());
    const float* in = row_.data();
    for (std::size_t block = 0; block < blocks; block++, in += size) {
      for (std::size_t i = 0; i < size; i++) out[i * blocks + block] = in[i];
    }
  }
  columns_ = buffer_.data();
  column_stride_ = blocks;
}

void ScaleChoice::widen_rows(const BlockElements& elements) {
  column_stride_ = elements.stride;
  columns_ = static_cast<const float*>(elements.x.data());
  if (elements.x.type() == NumberType::float32) return;
  column_stride_ = elements.blocks * elements.size;
  buffer_.resize(elements.rows * column_stride_);
  columns_ = buffer_.data();
  for (std::size_t row = 0; row < elements.rows; row++) {
    kernels_.widen(elements.x.from(row * elements.stride).data(), column_stride_,
                   &buffer_[row * column_stride_]);
  }
}

void ScaleChoice::errors_along(const BlockElements& elements, const RealScales& scales) {
  const std::size_t blocks = elements.blocks;
  for (std::size_t row = 0; row < elements.rows; row++) {
    kernels_.errors(columns_ + row * elements.size * blocks, column_stride_, elements.size, blocks,
                    parameters_, scales.factors.data(), scales.values.data(), wholes_.data(),
                    rules_.tensor_limit, &errors_[row * blocks]);
  }
}

void ScaleChoice::errors_across(const BlockElements& elements, const RealScales& scales) {
  const std::size_t size = elements.size;
  const std::size_t columns = elements.blocks * size;
  factors_.resize(columns);
  values_.resize(columns);
  column_errors_.resize(columns);
  for (std::size_t i = 0; i < columns; i++) {
    factors_[i] = scales.factors[i / size];
    values_[i] = scales.values[i / size];
  }
  kernels_.errors(columns_, column_stride_, elements.rows, columns, parameters_, factors_.data(),
                  values_.data(), wholes_.data(), rules_.tensor_limit, column_errors_.data());
  for (std::size_t i = 0; i < columns; i++) {
    errors_[i % size * elements.blocks + i / size] = column_errors_[i];
  }
}

// Adds halves to halves, as sum_of_rows() in four_over_six.cpp; missing rows at the edge are 0.
void ScaleChoice::add_rows(std::size_t blocks) {
  for (std::size_t rows = block_rows_; rows > 1;) {
    const std::size_t half = (rows + 1) / 2;
    for (std::size_t i = half * blocks; i < rows * blocks; i++) {
      errors_[i - half * blocks] += errors_[i];
    }
    rows = half;
  }
}

const float* ScaleChoice::errors(const BlockElements& elements, const RealScales& scales) {
  errors_.assign(block_rows_ * elements.blocks, 0.0f);
  if (elements.across) {
    errors_across(elements, scales);
  } else {
    errors_along(elements, scales);
  }
  add_rows(elements.blocks);
  return errors_.data();
}

void ScaleChoice::choose(const BlockElements& elements, const BlockRules* block_rules,
                         const RealScales& four, RealScales& six) {
  const std::size_t blocks = elements.blocks;
  set_wholes(elements, block_rules);
  if (elements.across) {
    widen_rows(elements);
  } else {
    transpose(elements);
  }
  std::array<float, RealScales::kMost> errors_of_four;
  std::copy_n(errors(elements, four), blocks, errors_of_four.begin());
  const float* errors_of_six = errors(elements, six);
  for (std::size_t block = 0; block < blocks; block++) {
    if (!is_ordinary(four.factors[block]) || !is_ordinary(six.factors[block])) {
      six.factors[block] = 0;
    } else if (errors_of_four[block] < errors_of_six[block]) {
      six.codes[block] = four.codes[block];
      six.values[block] = four.values[block];
      six.factors[block] = four.factors[block];
    }
  }
}

}  // namespace mxe::numerics
