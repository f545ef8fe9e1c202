// SPDX-License-Identifier: Apache-2.0
// NVFP4 twice without vector kernels: a step is one dot product of 16-bit integers.
#include <algorithm>
#include <array>

#include "model/numerics/gemm/accumulate.h"
#include "model/numerics/gemm/gemm_definition.h"
#include "model/numerics/gemm/gemm_policies.h"
#include "model/numerics/gemm/pair_rule.h"

namespace mxe::numerics {
namespace {

constexpr std::size_t kBlock = kNvfp4Scales.block;
constexpr int kScaleLsb = -9;  // of UE4M3

// Rows in steps of `Step` elements: elements times scales as integers times 2^exponent, zeros
// beyond K. A step is scalar if a scale is NaN or its integers are too large: the sum of their
// squares must be below 2^31. By Cauchy-Schwarz, the sum of products of two such steps then fits 32
// bits.
template <std::size_t Step>
class Steps {
 public:
  Steps(const MxTensor& tensor, std::size_t first_row, std::size_t last_row)
      : count_((tensor.k + Step - 1) / Step) {
    values_.resize((last_row - first_row) * count_ * Step);
    exponents_.resize((last_row - first_row) * count_);
    for (std::size_t row = first_row; row < last_row; row++) {
      for (std::size_t step = 0; step < count_; step++) {
        const std::size_t at = (row - first_row) * count_ + step;
        exponents_[at] = fill(tensor, row, step, &values_[at * Step]);
      }
    }
  }

  std::size_t count() const { return count_; }
  const int16_t* values(std::size_t row) const { return &values_[row * count_ * Step]; }
  const int* exponents(std::size_t row) const { return &exponents_[row * count_]; }

  static constexpr int kScalar = 1 << 16;  ///< exponent of a scalar step

 private:
  // Returns the exponent, or kScalar.
  static int fill(const MxTensor& tensor, std::size_t row, std::size_t step, int16_t* to) {
    constexpr uint32_t kMostScale = 32767 / 12;  // 12 is the largest E2M1
    const std::array<int64_t, 256>& table = integer_table(tensor.format);
    const std::size_t first = step * Step;
    const std::size_t blocks = (std::min(tensor.k - first, Step) + kBlock - 1) / kBlock;
    const uint8_t* codes = &tensor.scales[row * tensor.scale_columns() + first / kBlock];
    std::array<uint32_t, Step / kBlock> scales{};  // multiples of 2^kScaleLsb
    uint32_t bits = 0;
    for (std::size_t i = 0; i < blocks; i++) {
      const ScaleNumber scale = scale_number(tensor.layout.kind, codes[i]);
      if (scale.is_nan) return kScalar;
      scales[i] = scale.significand << (scale.exponent - kScaleLsb);
      bits |= scales[i];
    }
    const int zeros = bits == 0 ? 0 : __builtin_ctz(bits);
    if (bits >> zeros > kMostScale) return kScalar;
    int64_t squares = 0;
    for (std::size_t i = 0; i < std::min(tensor.k - first, Step); i++) {
      const int64_t element = table[tensor.codes[row * tensor.k + first + i]];
      const int64_t value = element * (scales[i / kBlock] >> zeros);
      to[i] = static_cast<int16_t>(value);
      squares += value * value;
    }
    if (squares >> 31 != 0) return kScalar;
    return element_format(tensor.format).lsb_exponent + kScaleLsb + zeros;
  }

  std::size_t count_;  // of a row
  std::vector<int16_t> values_;
  std::vector<int> exponents_;
};

template <std::size_t Step>
int32_t dot(const int16_t* x, const int16_t* y) {
  int32_t sum = 0;
  for (std::size_t i = 0; i < Step; i++) sum += int32_t{x[i]} * y[i];
  return sum;
}

// RNE_fp32(acc + sum * 2^exponent), -20 <= exponent <= 14. A sum of at most 24 bits is an exact
// float32 number.
float add_sum(float acc, int32_t sum, int exponent) {
  constexpr int32_t kLimit = 1 << 24;
  if (sum > -kLimit && sum < kLimit) {
    const auto unit = static_cast<uint32_t>(exponent + 127) << 23;
    return acc + static_cast<float>(sum) * from_bits(unit);
  }
  return from_bits(accumulate(to_bits(acc), sum, exponent));
}

template <std::size_t Step>
void multiply(const MxTensor& a, const MxTensor& b, const float* start, const PairRule& rule,
              std::size_t first_row, std::size_t last_row, float* out) {
  const Steps<Step> steps_a(a, first_row, last_row);
  const Steps<Step> steps_b(b, 0, b.rows);
  const std::size_t count = steps_a.count();
  for (std::size_t i = first_row; i < last_row; i++) {
    const int* exponents_a = steps_a.exponents(i - first_row);
    for (std::size_t j = 0; j < b.rows; j++) {
      const int* exponents_b = steps_b.exponents(j);
      const int16_t* x = steps_a.values(i - first_row);
      const int16_t* y = steps_b.values(j);
      float acc = start ? start[i * b.rows + j] : 0.0f;
      for (std::size_t step = 0; step < count; step++, x += Step, y += Step) {
        const int exponent = exponents_a[step] + exponents_b[step];
        acc = exponent < Steps<Step>::kScalar / 2
                  ? add_sum(acc, dot<Step>(x, y), exponent)
                  : from_bits(definition_step(to_bits(acc), a, i, b, j, step * Step, rule));
      }
      const uint32_t result = to_bits(acc);
      out[i * b.rows + j] = is_nan_bits(result) ? from_bits(kQuietNan) : acc;
    }
  }
}

}  // namespace

void gemm_nvfp4_into(const MxTensor& a, const MxTensor& b, const float* start, bool dual,
                     std::size_t first_row, std::size_t last_row, float* out) {
  const PairRule rule = pair_rule(a.scaled_format(), b.scaled_format(), dual);
  constexpr std::size_t kDualStep = 2 * kBlockSize;
  if (rule.step == kDualStep) {
    multiply<kDualStep>(a, b, start, rule, first_row, last_row, out);
  } else {
    multiply<kBlockSize>(a, b, start, rule, first_row, last_row, out);
  }
}

}  // namespace mxe::numerics
